// Several candidates against one baseline side by side: one column for each.

import { toVisibleJson } from "../../../core/index.js";
import type { GateReport, OutcomeComparison } from "../../drift/gate-report.js";
import type { MetricName } from "../../drift/metrics/figures.js";
import { alphaText } from "../../drift/words.js";
import { grouped } from "../../html/figures.js";
import type { PageFrame } from "../../html/page-shell.js";
import { html } from "../../html/template.js";
import { preview } from "../../html/text-view.js";
import { tableView, toTablePage } from "../html/table-page.js";
import { isSilent, meansText } from "../metrics.js";
import { SHOWN_CELL, tableLines, tableMarkdown, type ReportTable } from "./table.js";

const SHOWN_SCENARIOS = 20;

/** Rows: the verdict, success, what a run takes, and each scenario that is not the same in every column. */
function matrixOf(reports: readonly GateReport[]): ReportTable {
  const row = (name: string, cell: (report: GateReport) => string): string[] => [name, ...reports.map(cell)];
  const known = reports.flatMap((report) => report.metrics.all.filter((metric) => !isSilent(metric)));
  const metrics = [...new Set(known.map(({ metric }) => metric))];
  const names = [...new Set(reports.flatMap((report) => report.scenarios.map(({ scenario }) => scenario)))].sort();
  const tables = reports.map((report) => new Map(report.scenarios.map((each) => [each.scenario, each])));
  const isSame = (name: string): boolean => tables.every((table) => table.get(name)?.verdict === "same");
  const differing = names.filter((name) => !isSame(name));
  const scenarioRow = (name: string): string[] => [
    name,
    ...tables.map((table) => {
      const found = table.get(name);
      if (found === undefined) return "–";
      return found.outcome === undefined ? found.verdict : `${found.verdict} ${successText(found.outcome)}`;
    }),
  ];
  const more = differing.length - SHOWN_SCENARIOS;
  const same = names.length - differing.length;
  return {
    rows: [
      row("", ({ candidate }) => preview(candidate, SHOWN_CELL)),
      row("verdict", ({ verdict, fails }) => `${verdict}${fails ? " (fails)" : ""}`),
      row("success", successOf),
      ...metrics.map((metric) => row(`${metric} a run`, (report) => amountOf(report, metric))),
      ...differing.slice(0, SHOWN_SCENARIOS).map(scenarioRow),
    ],
    notes: [
      ...(more > 0 ? [`${grouped(more)} more scenarios are not the same everywhere.`] : []),
      ...(same > 0 ? [`${grouped(same)} of ${grouped(names.length)} scenarios are the same everywhere.`] : []),
    ],
  };
}

/** Over all scenarios. A report of one scenario has no tests over all. */
function successOf({ pooled, scenarios }: GateReport): string {
  const outcome = pooled.outcome ?? (scenarios.length === 1 ? scenarios[0]?.outcome : undefined);
  return outcome === undefined ? "unknown" : successText(outcome);
}

function successText({ base, candidate }: OutcomeComparison): string {
  return `${base.successes}/${base.runs} → ${candidate.successes}/${candidate.runs}`;
}

function amountOf({ metrics }: GateReport, wanted: MetricName): string {
  const metric = metrics.all.find((each) => each.metric === wanted);
  if (metric?.base.mean === undefined || metric.candidate.mean === undefined) return "unknown";
  return meansText(metric);
}

/** Several candidates against one baseline. `alpha` is that of all reports together. */
export interface CandidateReports {
  alpha: number;
  /** At least two, in the order of the command line. */
  reports: readonly GateReport[];
}

function tableOf({ alpha, reports }: CandidateReports): ReportTable {
  const { rows, notes } = matrixOf(reports);
  const each = reports[0]?.settings.alpha ?? alpha;
  const shared = `alpha ${alphaText(alpha)} over ${reports.length} candidates: each is judged at ${alphaText(each)}.`;
  return { rows, notes: [...notes, shared] };
}

/** The table, for the reports in text to follow. */
export function candidatesText(candidates: CandidateReports): string {
  return `${tableLines(tableOf(candidates)).join("\n")}\n`;
}

/** The table as Markdown. */
export function candidatesMarkdown(candidates: CandidateReports): string {
  return tableMarkdown(tableOf(candidates));
}

export function candidatesJson({ alpha, reports }: CandidateReports): string {
  return `${toVisibleJson(JSON.stringify({ schemaVersion: 1, alpha, reports }, null, 2))}\n`;
}

/** A page with the table. `addresses` leads to the page of each candidate. */
export function candidatesHtml(
  candidates: CandidateReports,
  addresses: readonly (string | undefined)[],
  frame?: PageFrame,
): string {
  const head = html`<h1>Candidates against ${preview(candidates.reports[0]?.base ?? "", SHOWN_CELL)}</h1>
    <p class="note">The name of a candidate leads to its report.</p>`;
  const view = tableView(tableOf(candidates), { columns: addresses });
  return toTablePage("cassette drift: several candidates", head, view, frame);
}
