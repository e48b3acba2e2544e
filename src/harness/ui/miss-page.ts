// A failed replay: the request that no recorded turn answers, where it differs, and what to do. Or the recorded turns that were not used.

import { counted } from "../html/figures.js";
import type { PageFrame } from "../html/page-shell.js";
import { html, type Child, type Html } from "../html/template.js";
import { preview, textView } from "../html/text-view.js";
import { createAllowance, type Allowance } from "../html/allowance.js";
import { fileAddress } from "./address.js";
import { plainBody, toServedPage } from "./frame.js";
import type { UiMiss } from "./item.js";

const SHOWN_ALSO = 50;

export function toMissPage({ recording, link, report }: UiMiss, frame: PageFrame): string {
  const allowance = createAllowance(false, "the request has the full text");
  const turn = "turn" in report ? report.turn : undefined;
  const [first = "", ...rest] = report.what.split("\n");
  const what = report.code === "unconsumed" ? "Recorded turns were not used" : "A request was not answered";
  const head = html`<p class="sides-named">A failed replay</p>
    <h1 class="verdict-line regression">
      <span class="sign-big" aria-hidden="true">✕</span>
      ${turn === undefined ? what : `Turn ${turn} was not answered`}
    </h1>
    <p class="reason">${preview(first, 4_000)}</p>
    ${"hint" in report && html`<p class="callout"><strong>What to do:</strong> ${preview(report.hint, 4_000)}</p>`}`;
  const sections = [
    rest.length > 0 && textView(rest.join("\n"), "code", allowance),
    factsView({ recording, report, ...(link === undefined ? {} : { link }) }),
    "recorded" in report || "actual" in report ? changeView(report, allowance) : undefined,
    alsoView("also" in report ? report.also : undefined),
  ];
  return toServedPage(`Failed replay: ${preview(recording, 80)}`, plainBody(head, sections), frame);
}

function factsView({ recording, link, report }: UiMiss): Html {
  const nearest = "nearest" in report ? report.nearest : undefined;
  const filters = "filters" in report ? report.filters : undefined;
  const recorded = link === undefined ? html`<code>${preview(recording, 300)}</code>` : linkTo(link);
  const near =
    nearest !== undefined &&
    html`${link === undefined ? html`turn ${nearest.turnIndex}` : linkTo(link, nearest.turnIndex)}${
      nearest.used && ", which was already used"
    }`;
  const facts: [string, Child][] = [
    ["Recording", recorded],
    ["Code", html`<code>${preview(report.code, 80)}</code>`],
    ...(report.pointer === undefined
      ? []
      : [
          ["Place", html`<code>${report.pointer === "" ? "the whole" : preview(report.pointer, 300)}</code>`] as [
            string,
            Child,
          ],
        ]),
    ...(near === false ? [] : [["Nearest", near] as [string, Child]]),
    ...(filters === undefined ? [] : [["Filters", preview(filters.join(", "), 300)] as [string, Child]]),
  ];
  return html`<dl class="about-run">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div> `,
    )}
  </dl>`;
}

function linkTo(file: string, turn?: number): Html {
  const address = fileAddress(file, turn);
  return html`<a href="${address}">${turn === undefined ? preview(file, 300) : `recorded turn ${turn}`}</a>`;
}

function changeView(report: { recorded?: string; actual?: string }, allowance: Allowance): Html {
  const side = (name: string, text: string | undefined): Html =>
    html`<div class="side">
      <h2 class="small">${name}</h2>
      ${text === undefined ? html`<p class="note">Nothing is here.</p>` : textView(text, "code", allowance)}
    </div>`;
  return html`<div class="sides miss-sides">${side("Recorded", report.recorded)}${side("Asked", report.actual)}</div>`;
}

function alsoView(also: readonly string[] | undefined): Child {
  if (also === undefined || also.length === 0) return undefined;
  const more = also.length - SHOWN_ALSO;
  return html`<h2 class="small">Also different</h2>
    <ul class="broken">
      ${also.slice(0, SHOWN_ALSO).map((what) => html`<li>${preview(what, 600)}</li> `)}${
        more > 0 && html`<li class="note">and ${counted(more, "more difference")}</li>`
      }
    </ul>`;
}
