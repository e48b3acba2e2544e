// The report of a benchmark of commands as text and Markdown.

import { plural, toVisible } from "../../core/index.js";
import { codeSpan } from "../reports/markdown-text.js";
import { tableLines, tableMarkdown, type ReportTable } from "../reports/tables/table.js";
import type { Figure } from "./figure.js";
import type { BenchedLength, BenchedSide, BenchReport } from "./report.js";

/** "312 µs", "4.21 ms". */
export function timeText(micros: number): string {
  const size = Math.abs(micros);
  if (size < 999.5) return `${Number(micros.toPrecision(3))} µs`;
  return size < 999_500 ? `${Number((micros / 1000).toPrecision(3))} ms` : `${Number((micros / 1e6).toPrecision(3))} s`;
}

function figureText({ median, low, high }: Figure): string {
  return `${timeText(median)} (${timeText(low)} … ${timeText(high)})`;
}

export function benchTable({ lengths, clock }: BenchReport): ReportTable {
  const toRow = (name: string, { turns }: BenchedLength, side: BenchedSide): string[] => [
    name,
    String(turns),
    figureText(side.turn),
    side.call === undefined ? "" : figureText(side.call),
    figureText(side.first),
    figureText(side.start),
  ];
  const rows = lengths.flatMap((length) => [
    ...(length.reference === undefined ? [] : [toRow("reference", length, length.reference)]),
    toRow("command", length, length.command),
  ]);
  const what = clock === "cpu" ? "Turns are processor time" : "Turns are wall time";
  const notes = [`${what}, including the client's HTTP. Each figure is a median, with the middle half in brackets.`];
  return { rows: [["", "turns", "a turn", "a tool call", "first turn", "start"], ...rows], notes };
}

/** One sentence for each length that was compared. */
export function verdictLines({ lengths }: BenchReport): string[] {
  return lengths.flatMap(({ turns, shift }) => {
    if (shift === undefined) return [];
    const { verdict, difference, noise, threshold } = shift;
    const limits = `noise ${timeText(noise)}, threshold ${timeText(threshold)}`;
    const change = `${difference < 0 ? "−" : "+"}${timeText(Math.abs(difference))} a turn`;
    return [`${verdict}: ${change} at ${plural(turns, "turn")} (${limits})`];
  });
}

/** If the noise is more than this many times the threshold, the report says what it hides. */
const LARGE_NOISE = 5;

/** What a comparison could not find, if its noise is much larger than its threshold. */
export function noiseLines({ lengths, clock }: BenchReport): string[] {
  const hidden = lengths.flatMap(({ shift }) =>
    shift?.verdict === "same" && shift.noise > LARGE_NOISE * shift.threshold ? [shift.noise + shift.threshold] : [],
  );
  if (hidden.length === 0) return [];
  const ways = clock === "cpu" ? "More turns (--turns) and more --runs" : "More turns (--turns), more --runs and --cpu";
  return [`The noise hides a slowdown of up to ${timeText(Math.max(...hidden))} a turn. ${ways} reduce it.`];
}

/** How it was measured. */
export function benchSetting({ reference, runs, load, cores }: BenchReport): string {
  return `${plural(runs, "process", "processes")}${reference === undefined ? "" : " of each"}, on ${plural(cores, "core")} with a load of ${load.toFixed(1)}`;
}

export function benchText(report: BenchReport): string {
  const lines = [
    ...tableLines(benchTable(report)),
    benchSetting(report),
    ...verdictLines(report),
    ...noiseLines(report),
  ];
  return `${lines.map((line) => toVisible(line)).join("\n")}\n`;
}

export function benchMarkdown(report: BenchReport): string {
  const { cassette, ran, reference } = report;
  const verdicts = verdictLines(report);
  const against = reference === undefined ? "" : ` against ${codeSpan(reference)}`;
  return [
    "## Time of a turn besides the model",
    "",
    `${codeSpan(ran)}${against}, with ${codeSpan(cassette)}`,
    "",
    ...verdicts.flatMap((line, at) => [`- **${line.replace(":", "**:")}`, ...(at < verdicts.length - 1 ? [] : [""])]),
    tableMarkdown(benchTable(report)),
    [`${benchSetting(report)}.`, ...noiseLines(report)].join(" "),
    "",
  ].join("\n");
}
