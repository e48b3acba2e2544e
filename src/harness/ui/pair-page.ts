// Two recordings side by side: their figures, and their turns with aligned calls, as a drift report shows typical runs.

import { countedTurns, sumUsage, type Cassette } from "../../cassette/index.js";
import { successOf } from "../drift/outcome.js";
import type { Edit } from "../drift/gate-report.js";
import type { describeTypical } from "../drift/paths/typical.js";
import { createAllowance } from "../html/allowance.js";
import { costTotal, counted, grouped, tokenTotal } from "../html/figures.js";
import { leftOutView } from "../html/head-view.js";
import type { PageFrame } from "../html/page-shell.js";
import { html, type Html } from "../html/template.js";
import { preview } from "../html/text-view.js";
import { offersView } from "../reports/html/scenario-view.js";
import { rowId, rowOfEdit, timelineView } from "../reports/html/timeline-view.js";
import { toServedPage } from "./frame.js";

const ID = "turns";
const SHOWN_EDITS = 200;

export interface PairSide {
  readonly file: string;
  readonly cassette: Cassette;
}

/** `described` compares the two, as {@link describeTypical} does. */
export function toPairPage(
  old: PairSide,
  now: PairSide,
  described: ReturnType<typeof describeTypical>,
  frame: PageFrame,
): string {
  const allowance = createAllowance(false, "the cassette has the full text");
  const { edits, contract } = described;
  const typical = { base: old.file, candidate: now.file };
  const timeline = timelineView({ ...described, typical }, ID, allowance);
  const title = edits.length === 0 ? "No difference" : counted(edits.length, "difference");
  const body = html`<a class="skip" href="#content">Skip to the turns</a>
    <header class="top">
      <p class="sides-named">
        <code>${preview(old.file, 200)}</code> <span aria-hidden="true">→</span><span class="hidden">against</span>
        <code>${preview(now.file, 200)}</code>
      </p>
      <h1>${title}</h1>
      <p class="note">Calls, their order and stop reasons are compared, as <code>cassette diff</code> does.</p>
      ${figuresView(old, now)} ${leftOutView(allowance.leftOut())}
    </header>
    <div class="layout">
      ${railView(described.timeline, edits)}
      <main id="content" tabindex="-1">
        <div class="bar">
          <button type="button" id="previous" title="Previous difference (p)">
            ↑ <span class="hidden">Previous difference</span>
          </button>
          <button type="button" id="next" title="Next difference (n)">
            ↓ <span class="hidden">Next difference</span>
          </button>
          <output id="found"></output>
          <p class="keys">
            <kbd>n</kbd> <kbd>p</kbd> next, previous difference · <kbd>o</kbd> open · <kbd>u</kbd> list
          </p>
        </div>
        <section class="scenario" id="${ID}" tabindex="-1" aria-labelledby="${ID}-name" data-verdict="">
          <h2 class="hidden">Side by side</h2>
          <h3 class="hidden" id="${ID}-name">Turns</h3>
          ${offersView(contract)} ${timeline}
        </section>
      </main>
    </div>`;
  return toServedPage(`${preview(old.file, 60)} → ${preview(now.file, 60)}`, body, frame, true);
}

function figuresView(old: PairSide, now: PairSide): Html {
  const [before, after] = [figuresOf(old), figuresOf(now)];
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          <th scope="col"><span class="hidden">Figure</span></th>
          <th scope="col">Baseline</th>
          <th scope="col">Candidate</th>
        </tr>
      </thead>
      <tbody>
        ${before.map(
          ([name, value], index) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td>${preview(value, 80)}</td>
              <td>${preview(after[index]?.[1] ?? "", 80)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

function figuresOf({ cassette }: PairSide): [string, string][] {
  const usage = sumUsage(countedTurns(cassette));
  const entries: readonly Pick<Cassette["entries"][number], "response">[] = cassette.entries;
  const models = [...new Set(entries.flatMap(({ response }) => response.model ?? []))];
  const calls = entries.reduce((sum, { response }) => sum + (response.message.toolCalls?.length ?? 0), 0);
  const success = successOf(cassette);
  return [
    ["Model", models.length === 0 ? "unknown" : models.join(", ")],
    ["Outcome", success === undefined ? "not recorded" : success ? "succeeded" : "failed"],
    ["Turns", grouped(entries.length)],
    ["Calls", grouped(calls)],
    ["Tokens", tokenTotal(usage)],
    ["Cost", costTotal(usage)],
  ];
}

function railView(timeline: Parameters<typeof rowOfEdit>[0]["timeline"], edits: readonly Edit[]): Html {
  const more = edits.length - SHOWN_EDITS;
  const home = `#${ID}`;
  return html`<nav class="rail" aria-label="Differences">
    <details class="rail-fold" open>
      <summary>Differences</summary>
      <ol>
        <li data-for="${ID}">
          <a href="${home}"
            ><span class="number"></span><span class="lines"><span>All turns</span></span></a
          >
        </li>
        ${edits.slice(0, SHOWN_EDITS).map(({ drift }, index) => {
          const row = rowOfEdit({ timeline }, index);
          const address = row === undefined ? home : `#${rowId(ID, row)}`;
          return html`<li>
            <a href="${address}"
              ><span class="number">${index + 1}</span
              ><span class="lines"
                ><span>${drift.kind}</span><span class="answered">${preview(drift.sentence, 80)}</span></span
              ></a
            >
          </li> `;
        })}${more > 0 && html`<li class="note">and ${grouped(more)} more</li>`}
      </ol>
    </details>
  </nav>`;
}
