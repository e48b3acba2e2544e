// Several reports side by side: one column for each. Several candidates against one baseline, or the reports of several dates.

import { toVisible, toVisibleJson } from "../../core/index.js";
import type { GateReport, OutcomeComparison } from "../drift/gate-report.js";
import type { MetricName } from "../drift/metrics/figures.js";
import { grouped } from "../html/figures.js";
import { toPage } from "../html/page-shell.js";
import { PAGE_STYLE } from "../html/style/page.js";
import { html } from "../html/template.js";
import { preview } from "../html/text-view.js";
import { isSilent, meansText } from "./metrics.js";
import { escapeMarkdown } from "./markdown-text.js";

const SHOWN_SCENARIOS = 20;
const SHOWN_NAME = 80;

/** A report with the name of its column. */
export interface NamedReport {
  name: string;
  report: GateReport;
}

/** The cells of a table, all of one length. The first row has the names of the columns. */
export interface ReportMatrix {
  rows: string[][];
  /** What the table leaves out, one sentence each. */
  notes: string[];
}

/** Rows: the verdict, success, what a run takes, and each scenario that is not the same in every column. */
export function matrixOf(columns: readonly NamedReport[]): ReportMatrix {
  const row = (name: string, cell: (report: GateReport) => string): string[] => {
    return [name, ...columns.map(({ report }) => cell(report))];
  };
  const known = columns.flatMap(({ report }) => report.metrics.all.filter((metric) => !isSilent(metric)));
  const metrics = [...new Set(known.map(({ metric }) => metric))];
  const names = [...new Set(columns.flatMap(({ report }) => report.scenarios.map(({ scenario }) => scenario)))].sort();
  const tables = columns.map(({ report }) => new Map(report.scenarios.map((each) => [each.scenario, each])));
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
      ["", ...columns.map(({ name }) => preview(name, SHOWN_NAME))],
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

/** The lines of the table as plain text, in columns. */
export function matrixLines({ rows, notes }: ReportMatrix): string[] {
  const shown = rows.map((row) => row.map((cell) => toVisible(cell)));
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [...shown.map(line), ...notes];
}

/** Several candidates against one baseline. `alpha` is that of all reports together. */
export interface CandidateReports {
  alpha: number;
  /** At least two, in the order of the command line. */
  reports: readonly GateReport[];
}

function tableOf({ alpha, reports }: CandidateReports): ReportMatrix {
  const { rows, notes } = matrixOf(reports.map((report) => ({ name: report.candidate, report })));
  const each = reports[0]?.settings.alpha ?? alpha;
  const shared = `alpha ${alpha} over ${reports.length} candidates: each is judged at ${Number(each.toPrecision(3))}.`;
  return { rows, notes: [...notes, shared] };
}

/** The table, for the reports in text to follow. */
export function candidatesText(candidates: CandidateReports): string {
  return `${matrixLines(tableOf(candidates)).join("\n")}\n`;
}

/** The table as Markdown. */
export function candidatesMarkdown(candidates: CandidateReports): string {
  const { rows, notes } = tableOf(candidates);
  const toRow = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => escapeMarkdown(preview(cell, SHOWN_NAME))).join(" | ")} |`;
  const [head = [], ...body] = rows.map((row) => [...row]);
  const rule = `| ${head.map(() => "---").join(" | ")} |`;
  return [toRow(head), rule, ...body.map(toRow), "", ...notes.flatMap((note) => [escapeMarkdown(note), ""])].join("\n");
}

export function candidatesJson({ alpha, reports }: CandidateReports): string {
  return `${toVisibleJson(JSON.stringify({ schemaVersion: 1, alpha, reports }, null, 2))}\n`;
}

/** A page with the table. `files` names the page of each candidate. */
export function candidatesHtml(candidates: CandidateReports, files: readonly string[]): string {
  const { rows, notes } = tableOf(candidates);
  const [head = [], ...body] = rows;
  const page = html`<main>
    <h1>Candidates against ${preview(candidates.reports[0]?.base ?? "", SHOWN_NAME)}</h1>
    <table>
      <thead>
        <tr>
          ${head.map((name, column) =>
            column === 0
              ? html`<td></td>`
              : html`<th scope="col">${name} <br /><small>${files[column - 1]}</small></th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${body.map(
          ([name = "", ...cells]) =>
            html`<tr>
              <th scope="row">${preview(name, SHOWN_NAME)}</th>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
    ${notes.map((note) => html`<p>${note}</p>`)}
  </main>`;
  return toPage({
    title: "cassette drift: several candidates",
    style: PAGE_STYLE + TABLE_STYLE,
    script: "",
    body: page,
  });
}

const TABLE_STYLE = `main { max-width: none; overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: 0.3rem 0.9rem 0.3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
`;
