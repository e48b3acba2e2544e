// A table of the metrics: what a run takes and how it scores on each side, and by how much that changed.

import { isScore, type MetricComparison } from "../../drift/metrics/figures.js";
import { amountText, shiftText, totalText } from "../../drift/metrics/words.js";
import { percent } from "../figures.js";
import { html, type Child, type Html } from "../../html/template.js";
import { preview } from "../../html/text-view.js";
import { metricTestText, sumText, verdictText } from "../metrics.js";

/** Shows the metrics of a scenario, or of all. `notes` are shown below. */
export function metricsView(metrics: readonly MetricComparison[], notes: readonly string[] = []): Child {
  const [first] = metrics;
  if (first === undefined) return undefined;
  return html`<div class="table">
    <table>
      <caption>
        What a run takes${metrics.some(({ metric }) => isScore(metric)) ? " and how it scores" : ""}, with
        ${percent(first.level)} intervals
      </caption>
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <th scope="col" class="figure">Baseline</th>
          <th scope="col" class="figure">Candidate</th>
          <th scope="col">Change</th>
          <th scope="col">In sum</th>
        </tr>
      </thead>
      <tbody>
        ${metrics.map(row)}
      </tbody>
    </table>
    ${notes.map((note) => html`<p class="note">${preview(note, 1_000)}.</p>`)}
  </div>`;
}

function row(metric: MetricComparison): Html {
  const { base, candidate, unit, difference } = metric;
  const mean = (value: number | undefined): string => (value === undefined ? "unknown" : amountText(value, unit));
  const [before, after] =
    difference === undefined
      ? [totalText(base, metric), totalText(candidate, metric)]
      : [sumText(base, metric), sumText(candidate, metric)];
  const tested = `${metricTestText(metric)}${verdictText(metric)}`.replace(/^, /, "");
  return html`<tr>
    <th scope="row">${metric.metric}</th>
    <td class="figure">${mean(base.mean)}</td>
    <td class="figure">${mean(candidate.mean)}</td>
    <td>
      ${difference === undefined ? "unknown" : shiftText(metric)}
      ${tested !== "" && html`<span class="test">${tested}</span>`}
    </td>
    <td>${isScore(metric.metric) && difference !== undefined ? "" : `${before} → ${after}`}</td>
  </tr> `;
}
