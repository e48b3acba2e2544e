// Tables of a scenario's paths, successes and test figures.

import type { DistanceComparison, OutcomeComparison, PathRow, ScenarioReport } from "../../drift/gate-report.js";
import { counted } from "../../html/figures.js";
import { preview } from "../../html/text-view.js";
import { html, type Child, type Html } from "../../html/template.js";
import { decimal, effectText, outcomeTestText, percent, rateText, testText } from "../figures.js";

const SHOWN_PATHS = 12;
const SHOWN_STEPS = 24;
const SHOWN_K = 6;

export function pathsView({ paths, base, candidate }: ScenarioReport): Child {
  if (paths.length === 0) return undefined;
  const more = paths.length - SHOWN_PATHS;
  const texts = pathTexts(paths);
  return html`<div class="table">
    <table>
      <caption>
        Paths: the tools called, in order
      </caption>
      <thead>
        <tr>
          <th scope="col">Path</th>
          <th scope="col">Baseline</th>
          <th scope="col">Candidate</th>
          <th scope="col">Calls</th>
        </tr>
      </thead>
      <tbody>
        ${paths.slice(0, SHOWN_PATHS).map((path) => pathRow(path, texts.get(path) ?? "", base.length, candidate.length))}
      </tbody>
    </table>
    ${more > 0 && html`<p class="note">and ${counted(more, "more path")}</p>`}
  </div>`;
}

/** The text of each path: only tool names, unless that would make paths look the same. Then arguments are added. */
function pathTexts(paths: readonly PathRow[]): Map<PathRow, string> {
  const short = paths.map(({ steps }) => pathText(steps, (call) => call.replace(/\(.*$/s, "")));
  return new Map(
    paths.map((path, index) => {
      const text = short[index] ?? "";
      const isShared = short.indexOf(text) !== short.lastIndexOf(text);
      return [path, isShared ? pathText(path.steps, (call) => call) : text];
    }),
  );
}

function pathText(steps: readonly string[][], nameOf: (call: string) => string): string {
  const turns = steps.slice(0, SHOWN_STEPS).map((step) => {
    return step.length === 0 ? "(no calls)" : step.map((call) => preview(nameOf(call), 200)).join(" + ");
  });
  const more = steps.length - SHOWN_STEPS;
  return steps.length === 0
    ? "no calls"
    : [...turns, ...(more > 0 ? [`… ${counted(more, "more turn")}`] : [])].join(" → ");
}

function pathRow({ label, base, candidate }: PathRow, text: string, ofBase: number, ofCandidate: number): Html {
  const share = (count: number, all: number): Html =>
    html`<td class="figure${count === 0 ? " none" : ""}">${count} of ${all}</td>`;
  return html`<tr>
    <th scope="row">${preview(label, 20)}</th>
    ${share(base, ofBase)}${share(candidate, ofCandidate)}
    <td class="mono">${text}</td>
  </tr> `;
}

export function outcomeView(outcome: OutcomeComparison): Html {
  const { base, candidate, effect } = outcome;
  const figures = html`<p class="figures">
    Difference ${effectText(effect)}. <span class="test">${outcomeTestText(outcome)}</span>
  </p>`;
  const rates = `Success: ${rateText(base)} before, ${rateText(candidate)} now`;
  // A single run gives nothing to estimate.
  const most = Math.min(base.passHat.length, candidate.passHat.length);
  if (most < 2)
    return html`<div>
      <p class="label">${rates}</p>
      ${figures}
    </div>`;
  const ks = Array.from({ length: most }, (_, index) => index + 1);
  const some = ks.length <= SHOWN_K ? ks : [...ks.slice(0, SHOWN_K - 1), ks.length];
  const row = (name: string, shares: readonly number[]): Html =>
    html`<tr>
      <th scope="row">${name}</th>
      ${some.map((k) => html`<td class="figure">${shares[k - 1] === undefined ? "–" : percent(shares[k - 1] ?? 0)}</td>`)}
    </tr> `;
  return html`<div class="table">
    <table>
      <caption>
        ${rates}
      </caption>
      <thead>
        <tr>
          <th scope="col">Estimate</th>
          ${some.map((k) => html`<th scope="col" class="figure">k = ${k}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${row("pass@k, baseline", base.passAt)}${row("pass@k, candidate", candidate.passAt)}
        ${row("pass^k, baseline", base.passHat)}${row("pass^k, candidate", candidate.passHat)}
      </tbody>
    </table>
    ${figures}
  </div>`;
}

/** The distance between the sides, next to the distances within each side. */
export function distanceView({ withinBase, withinCandidate, between, test, effect }: DistanceComparison): Html {
  const figure = (value: number | undefined): string => (value === undefined ? "unknown" : decimal(value, 3));
  return html`<p class="figures">
    Distance of paths: <strong>${decimal(between, 3)}</strong> between the sides, ${figure(withinBase)} within the
    baseline, ${figure(withinCandidate)} within the candidate. Effect ${effectText(effect)}.
    <span class="test">${testText(test, between > 0)}</span>
  </p>`;
}
