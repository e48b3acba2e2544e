// Both typical runs of a scenario side by side, turn by turn. A row that differs says why above its two cells. Long stretches of
// equal rows are folded.

import type { Edit, RunRef, ScenarioReport, TimelineRow } from "../../drift/gate-report.js";
import type { Allowance } from "../../html/allowance.js";
import { counted } from "../../html/figures.js";
import { jsonText, preview } from "../../html/text-view.js";
import { html, type Child, type Html } from "../../html/template.js";
import { endText, shownRuns } from "../facts.js";
import { turnCell, type Side } from "./turn-cell.js";

/** This many equal rows in sequence are folded, except for one next to each difference. */
const FOLD_ROWS = 4;
const SHOWN_CHANGES = 12;

export function rowId(scenario: string, row: number): string {
  return `${scenario}-row-${row}`;
}

/** The first row that shows an edit, or undefined if no row does. */
export function rowOfEdit({ timeline }: Pick<ScenarioReport, "timeline">, edit: number): number | undefined {
  const row = timeline.findIndex(({ edits }) => edits.includes(edit));
  return row < 0 ? undefined : row;
}

/** What a timeline shows of a scenario. */
export type TimelineParts = Pick<
  ScenarioReport,
  "base" | "candidate" | "timeline" | "typical" | "edits" | "firstDivergence"
>;

/** `id` is the scenario's element id on the page. */
export function timelineView(scenario: TimelineParts, id: string, allowance: Allowance): Html {
  const { timeline, typical } = scenario;
  const [old, now] = shownRuns(scenario);
  const rows: Child[] = [];
  const first = scenario.firstDivergence === undefined ? undefined : rowOfEdit(scenario, scenario.firstDivergence);
  for (const { from, to, isFolded } of stretchesOf(timeline)) {
    const views = timeline.slice(from, to).map((row, index) => {
      const isFirst = from + index === first;
      return rowView(row, { id: rowId(id, from + index), edits: scenario.edits, isFirst }, allowance);
    });
    rows.push(isFolded ? foldOf(timeline.slice(from, to), views) : views);
  }
  return html`<div class="timeline">
    <div class="sides heads" aria-hidden="true">
      <p><strong>Baseline</strong> <code>${preview(typical.base, 160)}</code>${endView(old)}</p>
      <p><strong>Candidate</strong> <code>${preview(typical.candidate, 160)}</code>${endView(now)}</p>
    </div>
    <ol aria-label="Turns of the two typical runs">
      ${rows}
    </ol>
  </div>`;
}

/** How a run ended, with the message of a failure. */
function endView(run: RunRef | undefined): Child {
  if (run?.success === undefined) return undefined;
  return html` <span class="badge ${run.success ? "kind" : "bad"}">${preview(endText(run), 300)}</span>`;
}

/** Cuts the rows into stretches. A long stretch of equal rows away from any difference is folded. */
function stretchesOf(rows: readonly TimelineRow[]): { from: number; to: number; isFolded: boolean }[] {
  const isFar = rows.map((_, index) => [-1, 0, 1].every((by) => (rows[index + by]?.edits.length ?? 0) === 0));
  const stretches: ReturnType<typeof stretchesOf> = [];
  for (let from = 0; from < rows.length;) {
    let to = from + 1;
    while (to < rows.length && isFar[to] === isFar[from]) to++;
    stretches.push({ from, to, isFolded: isFar[from] === true && to - from >= FOLD_ROWS });
    from = to;
  }
  return stretches;
}

function foldOf(rows: readonly TimelineRow[], views: Child): Html {
  const names = rows.flatMap(({ candidate, base }) => (candidate ?? base)?.calls.map(({ name }) => name) ?? []);
  return html`<li class="alike">
    <details>
      <summary>
        ${counted(rows.length, "turn")} without a difference
        <span class="about">${preview(names.join(" → "), 120)}</span>
      </summary>
      <ol>
        ${views}
      </ol>
    </details>
  </li>`;
}

interface RowPlace {
  id: string;
  /** All edits of the scenario. */
  edits: readonly Edit[];
  isFirst: boolean;
}

function rowView(row: TimelineRow, { id, edits: all, isFirst }: RowPlace, allowance: Allowance): Child {
  if (!allowance.item()) return undefined;
  const edits = row.edits.flatMap((index) => all[index] ?? []);
  const cell = (side: Side): Html => {
    const turn = row[side];
    if (turn !== undefined) return turnCell(turn, side, edits, allowance);
    return html`<div class="side gap">
      <p class="note">This turn does not exist in the ${side === "base" ? "baseline" : "candidate"}.</p>
    </div>`;
  };
  const sides = html`<div class="sides">${cell("base")}${cell("candidate")}</div>`;
  if (edits.length === 0) return html`<li class="pair" id="${id}" tabindex="-1">${sides}</li> `;
  return html`<li class="pair changed" id="${id}" tabindex="-1" aria-labelledby="${id}-why">
    <div class="why" id="${id}-why">
      ${isFirst && html`<p class="first-mark">First divergence</p>`}${edits.map(editView)}
    </div>
    ${sides}
  </li> `;
}

function editView({ drift, becauseOfSchema }: Edit): Html {
  const changes = "changes" in drift ? drift.changes : [];
  const more = changes.length - SHOWN_CHANGES;
  return html`<div class="edit">
    <p>
      <span class="badge kind">${drift.kind}</span> ${preview(drift.sentence, 600)}${
        becauseOfSchema === true && html` <span class="badge kind">the tool's schema changed</span>`
      }
    </p>
    ${
      changes.length > 0 &&
      html`<ul class="changes">
        ${changes.slice(0, SHOWN_CHANGES).map(({ pointer, old, new: now }) => {
          const place = pointer === "" ? "all" : pointer;
          return html`<li>
            <code>${preview(place, 120)}</code> <del>${old === undefined ? "absent" : short(old)}</del>
            <span aria-hidden="true">→</span> <ins>${now === undefined ? "absent" : short(now)}</ins>
          </li> `;
        })}${more > 0 && html`<li class="note">and ${counted(more, "more change")}</li>`}
      </ul>`
    }
  </div>`;
}

function short(value: unknown): string {
  return preview(typeof value === "string" ? JSON.stringify(value) : jsonText(value), 160);
}
