// One scenario on the page: its verdict and reason, a link to the first divergence, the figures, and both timelines.

import type { ScenarioReport, Verdict } from "../../drift/gate-report.js";
import type { Allowance } from "../../html/allowance.js";
import { counted } from "../../html/figures.js";
import { preview } from "../../html/text-view.js";
import { html, type Child, type Html } from "../../html/template.js";
import { allowedText, firstEdit, locationText, lossLines, placeOf, turnsOf, withoutOutcomeLines } from "../facts.js";
import { metricsView } from "./metrics-view.js";
import { distanceView, outcomeView, pathsView } from "./tables-view.js";
import { rowId, rowOfEdit, timelineView } from "./timeline-view.js";

const SHOWN_ROWS = 100;

/** The sign of each verdict, so that colour is not the only difference. */
export const VERDICT_SIGNS: Readonly<Record<Verdict, string>> = {
  regression: "✕",
  drift: "≠",
  inconclusive: "?",
  better: "↑",
  same: "✓",
};

/** A verdict as its sign and its name. */
export function verdictBadge(verdict: Verdict): Html {
  return html`<span class="badge verdict ${verdict}"
    ><span aria-hidden="true">${VERDICT_SIGNS[verdict]}</span> ${verdict}</span
  >`;
}

/** The id of the row to show first: the first divergence, or the scenario itself. */
export function startOf(scenario: Pick<ScenarioReport, "timeline" | "firstDivergence">, id: string): string {
  const { firstDivergence } = scenario;
  const row = firstDivergence === undefined ? undefined : rowOfEdit(scenario, firstDivergence);
  return row === undefined ? id : rowId(id, row);
}

/** `id` is the scenario's element id on the page. */
export function scenarioView(scenario: ScenarioReport, id: string, allowance: Allowance): Html {
  const { verdict, reason, withoutOutcome, outcome, distance, base, candidate } = scenario;
  return html`<article
    class="scenario"
    id="${id}"
    tabindex="-1"
    aria-labelledby="${id}-name"
    data-verdict="${verdict}"
    data-stop="${isStop(scenario) ? "yes" : "no"}"
  >
    <header class="scenario-head">
      <h3 id="${id}-name">${preview(scenario.scenario, 300)}</h3>
      ${verdictBadge(verdict)}
      <span class="size">${counted(base.length, "run")} against ${counted(candidate.length, "run")}</span>
    </header>
    <p class="reason">${preview(reason, 1_000)}</p>
    ${withoutOutcomeLines(withoutOutcome).map((line) => html`<p class="note">${line}.</p>`)}
    ${lossLines(scenario).map((line) => html`<p class="lost">${preview(line, 600)}.</p>`)} ${firstView(scenario, id)}
    ${rulesView(scenario)}
    <div class="tables">${outcome !== undefined && outcomeView(outcome)}${pathsView(scenario)}</div>
    ${distance !== undefined && distanceView(distance)} ${metricsView(scenario.metrics)}
    ${bothView(scenario, id, allowance)} ${moreView(scenario)}
  </article> `;
}

/** True if the typical runs are the same, but the scenario is not: the keys then stop at the scenario. */
function isStop({ verdict, timeline }: ScenarioReport): boolean {
  return verdict !== "same" && timeline.every(({ edits }) => edits.length === 0);
}

function bothView(scenario: ScenarioReport, id: string, allowance: Allowance): Child {
  if (scenario.timeline.length === 0) return undefined;
  const inner = html`<summary>Typical runs side by side</summary>
    ${timelineView(scenario, id, allowance)}`;
  return scenario.verdict === "same"
    ? html`<details class="both">${inner}</details>`
    : html`<details class="both" open>${inner}</details>`;
}

function firstView(scenario: ScenarioReport, id: string): Child {
  const edit = firstEdit(scenario);
  if (edit === undefined) return undefined;
  const [place, address] = [placeOf(edit), `#${startOf(scenario, id)}`];
  return html`<p class="first">
    <a href="${address}">First divergence</a> at ${turnsOf(edit)}: ${preview(edit.drift.sentence, 400)}
    ${edit.allowedBy !== undefined && html`<span class="note">${allowedText(edit)}</span>`}
    ${place !== undefined && html`<code class="place">${preview(locationText(place), 200)}</code>`}
  </p>`;
}

export function rulesView({ rules }: Pick<ScenarioReport, "rules">): Child {
  return listView(
    "broken",
    rules.map(
      ({ rule, side, location, sentence }) =>
        html`<li>
          <span class="badge bad">rule ${preview(rule, 80)} broken</span>
          ${side === "base" ? "In the baseline: " : ""}${preview(sentence, 400)}
          <code class="place">${preview(locationText(location), 200)}</code>
        </li> `,
    ),
  );
}

function moreView({ contract, tolerances, base, candidate }: ScenarioReport): Html {
  const parts = [
    contract.length > 0 && counted(contract.length, "changed offer"),
    tolerances.length > 0 && counted(tolerances.length, "tolerance used", "tolerances used"),
    counted(base.length + candidate.length, "recording"),
  ].filter((part) => part !== false);
  const uses = tolerances.map(
    ({ tolerance, tool, pointer, times }) =>
      html`<li>
        ${preview(tolerance, 200)} at <code>${preview(`${tool}:${pointer}`, 160)}</code>, ${counted(times, "time")}
      </li> `,
  );
  const runs = [
    ...base.map((run) => ({ side: "Baseline", run })),
    ...candidate.map((run) => ({ side: "Candidate", run })),
  ].map(
    ({ side, run: { file, path, success, turns, calls } }) =>
      html`<li>
        ${side} <code>${preview(file, 200)}</code>: path ${preview(path, 20)}, ${counted(turns, "turn")},
        ${counted(calls, "call")}${success === undefined ? ", no outcome" : success ? ", succeeded" : ", failed"}
      </li> `,
  );
  return html`<details class="long">
    <summary>${parts.join(", ")}</summary>
    <div class="inner">
      ${offersView(contract)} ${uses.length > 0 && html`<h4>Tolerances used</h4>`}${listView("uses", uses)}
      <h4>Recordings</h4>
      ${listView("runs", runs)}
    </div>
  </details>`;
}

/** The changed tools and settings, or nothing. */
export function offersView(contract: ScenarioReport["contract"]): Child {
  if (contract.length === 0) return undefined;
  const offers = contract.map(
    ({ kind, name, sentence }) =>
      html`<li>
        <span class="badge kind">${kind}</span> <code>${preview(name, 80)}</code> ${preview(sentence, 400)}
      </li> `,
  );
  return html`<h4>Changed tools and settings</h4>
    ${listView("offers", offers)}`;
}

function listView(name: string, items: readonly Html[]): Child {
  if (items.length === 0) return undefined;
  const more = items.length - SHOWN_ROWS;
  return html`<ul class="${name}">
    ${items.slice(0, SHOWN_ROWS)}${more > 0 && html`<li class="note">and ${more} more</li>`}
  </ul>`;
}
