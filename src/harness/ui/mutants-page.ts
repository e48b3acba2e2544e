// The results of `cassette mutate`: the score, a table by kind, and every change that no test noticed.

import { MUTANT_KINDS } from "../mutate/mutant.js";
import { counted, grouped } from "../html/figures.js";
import type { PageFrame } from "../html/page-shell.js";
import { html, type Child, type Html } from "../html/template.js";
import { preview } from "../html/text-view.js";
import { fileAddress } from "./address.js";
import { plainBody, toServedPage } from "./frame.js";
import type { UiMutant, UiMutants } from "./item.js";

const SHOWN_MUTANTS = 500;

/** `linkOf` gives the path in the folder of a mutated file, if it is there. */
export function toMutantsPage(
  file: string,
  report: UiMutants,
  linkOf: (file: string) => string | undefined,
  frame: PageFrame,
): string {
  const { mutants, command, seed, unreadable } = report;
  const of = (outcome: UiMutant["outcome"]): UiMutant[] => mutants.filter((mutant) => mutant.outcome === outcome);
  const [noticed, survived, unused] = [of("noticed"), of("survived"), of("unused")];
  const judged = noticed.length + survived.length;
  const look = judged === 0 ? "inconclusive" : survived.length > 0 ? "drift" : "same";
  const score = judged === 0 ? "No conclusion" : `${Math.floor((100 * noticed.length) / judged)} % noticed`;
  const head = html`<p class="sides-named">Mutations of recordings</p>
    <h1 class="verdict-line ${look}">
      <span class="sign-big" aria-hidden="true">${look === "same" ? "✓" : look === "drift" ? "≠" : "?"}</span>
      ${score}
      <span class="outcome"
        >${judged === 0 ? "no finished mutant was loaded" : `${grouped(noticed.length)} of ${counted(judged, "mutant")}`}</span
      >
    </h1>
    <p class="reason">
      ${
        survived.length === 0
          ? "No change survived so far."
          : `${counted(survived.length, "change")} of the recordings made no test fail.`
      }
    </p>
    <p class="note">Command <code>${preview(command.join(" "), 300)}</code>, seed ${preview(seed, 40)}.</p>
    ${unreadable > 0 && html`<p class="proof warn">${counted(unreadable, "line")} of the report cannot be read.</p>`}
    ${tableView(mutants)}`;
  const sections = [
    groupView("Survived", survived, linkOf, true),
    groupView("Noticed", noticed, linkOf, false),
    groupView("Not loaded by any test", unused, linkOf, false),
  ];
  return toServedPage(`Mutations: ${preview(file, 80)}`, plainBody(head, sections), frame);
}

function tableView(mutants: readonly UiMutant[]): Child {
  const kinds = MUTANT_KINDS.filter((kind) => mutants.some((mutant) => mutant.kind === kind));
  if (kinds.length === 0) return undefined;
  const count = (kind: string, outcome: string): string =>
    grouped(mutants.filter((mutant) => mutant.kind === kind && mutant.outcome === outcome).length);
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          <th scope="col">Change of</th>
          <th scope="col">Noticed</th>
          <th scope="col">Survived</th>
          <th scope="col">Not loaded</th>
        </tr>
      </thead>
      <tbody>
        ${kinds.map(
          (kind) =>
            html`<tr>
              <th scope="row">${kind}</th>
              <td class="figure">${count(kind, "noticed")}</td>
              <td class="figure">${count(kind, "survived")}</td>
              <td class="figure">${count(kind, "unused")}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

function groupView(
  title: string,
  mutants: readonly UiMutant[],
  linkOf: (file: string) => string | undefined,
  isOpen: boolean,
): Child {
  if (mutants.length === 0) return undefined;
  const more = mutants.length - SHOWN_MUTANTS;
  const list = html`<ul class="mutants">
    ${mutants.slice(0, SHOWN_MUTANTS).map((mutant) => mutantView(mutant, linkOf))}${
      more > 0 && html`<li class="note">and ${grouped(more)} more</li>`
    }
  </ul>`;
  const summary = html`${title} <span class="times">${grouped(mutants.length)}</span>`;
  return isOpen
    ? html`<section class="group">
        <h2>${summary}</h2>
        ${list}
      </section>`
    : html`<details class="group">
        <summary>${summary}</summary>
        ${list}
      </details>`;
}

function mutantView(mutant: UiMutant, linkOf: (file: string) => string | undefined): Html {
  const { kind, file, turn, pointer, sentence, old, isTimedOut, id } = mutant;
  const found = linkOf(file);
  const address = found === undefined ? undefined : fileAddress(found, turn);
  const place = html`${preview(file, 200)}, turn ${turn}`;
  return html`<li class="mutant">
    <p>
      <span class="badge kind">${kind}</span> ${preview(sentence, 400)}${
        isTimedOut && html` <span class="badge look-plain">timed out</span>`
      }
    </p>
    <p class="changes">
      <del>${old === undefined ? "absent" : preview(old, 300)}</del> <span aria-hidden="true">→</span>
      <ins>${mutant.new === undefined ? "gone" : preview(mutant.new, 300)}</ins>
    </p>
    <p class="place">
      ${address === undefined ? place : html`<a href="${address}">${place}</a>`} <code>${preview(pointer, 200)}</code>
      <span class="size">${preview(id, 40)}</span>
    </p>
  </li> `;
}
