// The reports of a folder over time, oldest first, over all scenarios and for each.

import { plural, toVisible, toVisibleJson } from "../../../core/index.js";
import type { MetricName } from "../../drift/metrics/figures.js";
import { amountText } from "../../drift/metrics/words.js";
import { grouped } from "../../html/figures.js";
import type { PageFrame } from "../../html/page-shell.js";
import { html, type Html } from "../../html/template.js";
import { preview } from "../../html/text-view.js";
import { tableView, toTablePage } from "../html/table-page.js";
import { escapeMarkdown } from "../markdown-text.js";
import type { PastFigures, PastMutations, PastReport, ReportDate } from "./past-report.js";
import { tableLines, tableMarkdown, type ReportTable } from "./table.js";

/** How much the texts show, and how much the page does. The JSON has everything. */
const IN_TEXT = { reports: 20, scenarios: 10 } as const;
const IN_PAGE = { reports: 100, scenarios: 100 } as const;
const SHOWN_FINDING = 240;

export interface History {
  /** The folder as the user named it. */
  folder: string;
  /** Oldest first, as {@link sortByDate} sorts. */
  reports: readonly PastReport[];
  mutations: readonly PastMutations[];
  /** Files that look like a report and cannot be used. */
  damaged: readonly { file: string; message: string }[];
  /** Other things that the history lacks, as sentences. */
  notes: readonly string[];
}

const BY_NAME = new Intl.Collator("en", { numeric: true });

/** Oldest first. Reports of one date are in the order of their names, with numbers in their order. */
export function sortByDate<Dated extends ReportDate & { file: string }>(dated: readonly Dated[]): Dated[] {
  return [...dated].sort((a, b) => (a.date === b.date ? BY_NAME.compare(a.file, b.file) : a.date < b.date ? -1 : 1));
}

/** A table with its title: all scenarios together, one scenario, or the mutations. */
interface Section {
  title: string;
  table: ReportTable;
  isSame: boolean;
}

interface Extent {
  reports: number;
  scenarios: number;
}

function sectionsOf({ reports, mutations }: History, extent: Extent): { sections: Section[]; notes: string[] } {
  const shown = reports.slice(-extent.reports);
  const names = [...new Set(shown.flatMap(({ scenarios }) => scenarios.map(({ scenario }) => scenario)))].sort();
  const tables = names.map((name) => toSection(name, shown));
  const byChange = [...tables.filter(({ isSame }) => !isSame), ...tables.filter(({ isSame }) => isSame)];
  const [older, more] = [reports.length - shown.length, names.length - extent.scenarios];
  return {
    sections: [
      ...(reports.length === 0 ? [] : [{ title: "All scenarios", table: overallTable(shown), isSame: false }]),
      ...byChange.slice(0, extent.scenarios),
      ...(mutations.length === 0 ? [] : [mutationSection(mutations.slice(-extent.reports))]),
    ],
    notes: [
      ...(older > 0 ? [`${grouped(older)} older reports are not shown.`] : []),
      ...(more > 0 ? [`${grouped(more)} more scenarios are not shown. Those that changed come first.`] : []),
    ],
  };
}

function overallTable(reports: readonly PastReport[]): ReportTable {
  const metrics = metricsOf(reports);
  const rows = reports.map((report) => [
    dateText(report),
    report.file,
    preview(report.candidate, 40),
    `${report.verdict}${report.fails ? " (fails)" : ""}`,
    ...figureCells(report, metrics),
    preview(report.headline, SHOWN_FINDING),
  ]);
  return { rows: [["date", "report", "candidate", "verdict", "success", ...metrics, "finding"], ...rows], notes: [] };
}

function toSection(scenario: string, reports: readonly PastReport[]): Section {
  const found = reports.map((report) => ({
    report,
    figures: report.scenarios.find((each) => each.scenario === scenario),
  }));
  const metrics = metricsOf(found.flatMap(({ figures }) => figures ?? []));
  const rows = found.map(({ report, figures }) => [
    dateText(report),
    preview(report.candidate, 40),
    ...(figures === undefined
      ? ["–", "–", ...metrics.map(() => "–")]
      : [figures.verdict, ...figureCells(figures, metrics)]),
  ]);
  const isSame = found.every(({ figures }) => figures?.verdict === "same");
  return {
    title: scenario,
    table: { rows: [["date", "candidate", "verdict", "success", ...metrics], ...rows], notes: [] },
    isSame,
  };
}

function mutationSection(mutations: readonly PastMutations[]): Section {
  const rows = mutations.map(({ file, noticed, survived, unused, ...when }) => {
    const judged = noticed + survived;
    const score = judged === 0 ? "no conclusion" : `${Math.floor((100 * noticed) / judged)} % noticed`;
    return [dateText(when), file, score, grouped(survived), grouped(unused)];
  });
  const table = { rows: [["date", "report", "score", "survived", "not loaded"], ...rows], notes: [] };
  return { title: "Mutations", table, isSame: false };
}

function metricsOf(all: readonly PastFigures[]): MetricName[] {
  return [...new Set(all.flatMap(({ metrics }) => metrics.map(({ metric }) => metric)))];
}

/** Success, and a cell for each of the metrics. */
function figureCells({ success, metrics }: PastFigures, wanted: readonly MetricName[]): string[] {
  const rate =
    success &&
    `${success.base.successes}/${success.base.runs} → ${success.candidate.successes}/${success.candidate.runs}`;
  const cells = wanted.map((name) => {
    const { base, candidate, unit } = metrics.find(({ metric }) => metric === name) ?? {};
    if (base === undefined || candidate === undefined || unit === undefined) return "unknown";
    return `${amountText(base, unit)} → ${amountText(candidate, unit)}`;
  });
  return [rate ?? "unknown", ...cells];
}

/** "2026-11-20", "2026-11-20 12:30". */
function dateText({ date }: ReportDate): string {
  return date.slice(0, 16).replace("T", " ");
}

/** What the history is of, and what it lacks. */
function noteLines({ reports, mutations, damaged, notes }: History): string[] {
  const fromFile = [...reports, ...mutations].filter(({ dateFrom }) => dateFrom === "file").length;
  return [
    ...(fromFile > 0
      ? [`${plural(fromFile, "report")} without a date in the path: the time when the file was changed counts.`]
      : []),
    ...damaged.map(({ file, message }) => `skipped ${file}: ${message}`),
    ...notes,
  ];
}

function headLine({ folder, reports, mutations }: History): string {
  const parts = [
    ...(reports.length > 0 || mutations.length === 0 ? [plural(reports.length, "report")] : []),
    ...(mutations.length > 0 ? [plural(mutations.length, "report of mutations", "reports of mutations")] : []),
  ];
  return `${parts.join(" and ")} in ${folder}, oldest first. Each figure is baseline → candidate.`;
}

export function historyText(history: History): string {
  const { sections, notes } = sectionsOf(history, IN_TEXT);
  const lines = [
    headLine(history),
    ...sections.flatMap(({ title, table }) => ["", title, ...tableLines(table).map((line) => `  ${line}`)]),
    ...[...notes, ...noteLines(history)].flatMap((note, index) => (index === 0 ? ["", note] : [note])),
  ];
  return `${lines.map((line) => toVisible(line)).join("\n")}\n`;
}

export function historyMarkdown(history: History): string {
  const { sections, notes } = sectionsOf(history, IN_TEXT);
  const parts = sections.map(({ title, table }) => {
    return `## ${escapeMarkdown(preview(title, SHOWN_FINDING))}\n\n${tableMarkdown(table, SHOWN_FINDING)}`;
  });
  const said = [...notes, ...noteLines(history)].flatMap((note) => [escapeMarkdown(preview(note, SHOWN_FINDING)), ""]);
  return [`# Reports over time`, "", escapeMarkdown(headLine(history)), "", ...parts, ...said].join("\n");
}

export function historyJson({ folder, ...history }: History): string {
  return `${toVisibleJson(JSON.stringify({ schemaVersion: 1, history: folder, ...history }, null, 2))}\n`;
}

/** A page with all tables. `addressOf` leads to the page of a report. */
export function historyHtml(
  history: History,
  frame?: PageFrame,
  addressOf: (file: string) => string | undefined = () => undefined,
): string {
  const { sections, notes } = sectionsOf(history, IN_PAGE);
  const head = html`<p class="sides-named"><code>${preview(history.folder, 200)}</code></p>
    <h1>Reports over time</h1>
    <p class="reason">${preview(headLine(history), 1_000)}</p>
    ${[...notes, ...noteLines(history)].map((note) => html`<p class="note">${preview(note, 400)}</p>`)}`;
  const views = sections.map(({ title, table, isSame }): Html => {
    const files = table.rows[0]?.[1] === "report" ? table.rows.slice(1).map((row) => row[1] ?? "") : [];
    const inner = html`<summary>${preview(title, SHOWN_FINDING)}</summary>
      ${tableView(table, { rows: files.map(addressOf) }, SHOWN_FINDING)}`;
    return isSame
      ? html`<details class="group">${inner}</details>`
      : html`<details class="group" open>${inner}</details>`;
  });
  return toTablePage("Reports over time", head, views, frame);
}
