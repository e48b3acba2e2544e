// Writes the gate's findings as GitHub-flavoured Markdown, for a comment that a bot keeps up to date and for a job summary.

import type {
  Edit,
  GateFailure,
  GateReport,
  OutcomeComparison,
  ScenarioReport,
  Verdict,
} from "../drift/gate-report.js";
import { counted, grouped } from "../html/figures.js";
import { preview } from "../html/text-view.js";
import { WORST_FIRST, worstFirst } from "../drift/paths/ranking.js";
import { MAX_COMMENT_BYTES, MAX_SUMMARY_BYTES } from "../limits.js";
import {
  allowedText,
  contrastLines,
  countFew,
  failingNames,
  firstEdit,
  headOf,
  locationText,
  lossLines,
  notShownLines,
  hintLines,
  otherCauses,
  placeOf,
  turnsOf,
  undecidedText,
  withoutOutcomeLines,
} from "./facts.js";
import { pText } from "../drift/words.js";
import { effectText, percent } from "./figures.js";
import { isSilent, metricCell, metricNotes, metricTestText, verdictText } from "./metrics.js";
import { atMost } from "../text/at-most.js";
import { codeBlock, codeSpan, escapeMarkdown } from "./markdown-text.js";

/** The first line of every report. A bot uses it to find its own comment. */
export const STICKY_MARKER = "<!-- playhead:cassette-drift -->";

const SHOWN_EDITS = 8;
const SHOWN_CAUSES = 8;
const SHOWN_METERED = 20;
const SHOWN_NAME = 120;
const SHOWN_SENTENCE = 400;

/** Writes a comment of at most 65,000 bytes, and counts the scenarios that did not fit. */
export function markdownReport(report: GateReport): string {
  return write(report, MAX_COMMENT_BYTES);
}

/** Writes several reports as one comment: `table` first, then each report with its share of the room. */
export function markdownReports(table: string, reports: readonly GateReport[], isSummary = false): string {
  const head = `${STICKY_MARKER}\n${table}\n`;
  const room = (isSummary ? MAX_SUMMARY_BYTES : MAX_COMMENT_BYTES) - byteLength(head);
  const parts = reports.map((report) => write(report, Math.floor(room / reports.length)));
  return [head, ...parts.map((part) => part.slice(STICKY_MARKER.length + 1))].join("\n");
}

/** Writes the same report for `$GITHUB_STEP_SUMMARY`, which has more room. */
export function toJobSummary(report: GateReport): string {
  return write(report, MAX_SUMMARY_BYTES);
}

function write(report: GateReport, limit: number): string {
  const before = [STICKY_MARKER, ...verdictOf(report), ""].join("\n");
  const after = ["", ...metricsOf(report), ...divergenceOf(report), ...commandsOf(report), ""].join("\n");
  const room = limit - byteLength(before) - byteLength(after);
  return `${before}${tableOf(report, room)}${after}`;
}

const SIGNS: Readonly<Record<Verdict, string>> = {
  regression: "❌",
  drift: "⚠️",
  inconclusive: "❔",
  better: "📈",
  same: "✅",
};

function verdictOf(report: GateReport): string[] {
  const { verdict, reason, headline, fails, base, candidate, counts, withoutOutcome } = report;
  const found = WORST_FIRST.filter((each) => counts[each] > 0).map(
    (each) => `${SIGNS[each]} ${grouped(counts[each])} ${each}`,
  );
  const undecided = undecidedText(report);
  const end = fails ? "(fails)" : `(passes)${undecided === "" ? "" : ` · ${undecided}`}`;
  return [
    `## ${countFew(report) > 0 && verdict === "same" ? SIGNS.inconclusive : SIGNS[verdict]} Drift gate: ${verdict} ${end}`,
    "",
    `**${escapeMarkdown(preview(headline.sentence, 1_000))}**`,
    "",
    escapeMarkdown(preview(reason, 2_000)),
    "",
    `${codeSpan(base)} → ${codeSpan(candidate)} · ${[...found, ...withoutOutcomeLines(withoutOutcome)].join(" · ")}`,
    "",
    ...[...notShownLines(report), ...hintLines(report)].flatMap((line) => [`${text(line, SHOWN_SENTENCE)}.`, ""]),
    ...causesOf(report),
  ];
}

/** Lists the causes of failure that are not in the table. */
function causesOf(report: GateReport): string[] {
  const causes = otherCauses(report);
  if (causes.length === 0) return [];
  const toLine = ({ scenario, verdict, reason }: GateFailure): string => {
    const where = scenario === undefined ? "" : `${text(scenario)}: `;
    return `- ${SIGNS[verdict]} ${where}${text(reason, SHOWN_SENTENCE)}`;
  };
  const lines = atMost(causes, SHOWN_CAUSES, toLine, (more) => `- and ${grouped(more)} more`);
  return ["Other failures, besides the scenarios below:", "", ...lines, ""];
}

/** Lists as many differing scenarios as fit, worst first. */
function tableOf(report: GateReport, room: number): string {
  const rows = worstFirst(report).filter(({ verdict }) => verdict !== "same");
  const failing = failingNames(report);
  if (rows.length === 0) return "";
  const head = "| | scenario | verdict | success | first divergence |\n| --- | --- | --- | --- | --- |\n";
  const reserved = 200;
  let table = head;
  let used = byteLength(head);
  let written = 0;
  for (const scenario of rows) {
    const row = rowOf(scenario, failing.has(scenario.scenario));
    used += byteLength(row);
    if (used > room - reserved) break;
    table += row;
    written++;
  }
  const more = rows.length - written;
  return more === 0
    ? table
    : `${table}\n… and ${counted(more, "more scenario")}, left out to limit the length of this text.\n`;
}

function rowOf(scenario: ScenarioReport, isFailing: boolean): string {
  const { verdict, outcome, reason } = scenario;
  const edit = firstEdit(scenario);
  const rates = [outcome?.base, outcome?.candidate].map((side) =>
    side === undefined || side.runs === 0 ? undefined : percent(side.successes / side.runs),
  );
  const success = outcome === undefined ? "–" : `${rates[0] ?? "–"} → ${rates[1] ?? "–"} (${testedText(outcome)})`;
  const allowed = edit?.allowedBy === undefined ? "" : ` (${allowedText(edit)})`;
  const first =
    edit === undefined ? (lossLines(scenario)[0] ?? reason) : `${turnsOf(edit)}: ${edit.drift.sentence}${allowed}`;
  const strong = isFailing ? "**" : "";
  const cells = [
    SIGNS[verdict],
    text(scenario.scenario),
    `${strong}${verdict}${strong}`,
    success,
    text(first, SHOWN_SENTENCE),
  ];
  return `| ${cells.join(" | ")} |\n`;
}

/** The test for less success, or for more if there is more. A dash if the runs cannot be tested. */
function testedText({ test, better, effect }: OutcomeComparison): string {
  const [question, tested] = effect.value > 0 ? ["more often? ", better] : ["", test];
  return tested.attainable === 1 ? "–" : `${question}${pText(tested)}`;
}

/** The metrics over all scenarios, and folded those of the worst scenarios. */
function metricsOf(report: GateReport): string[] {
  const { metrics, scenarios } = report;
  if (scenarios.length === 0) return [];
  const [unknown, known] = [metrics.all.filter(isSilent), metrics.all.filter((metric) => !isSilent(metric))];
  const cells = (list: readonly string[]): string => `| ${list.join(" | ")} |`;
  const overall = known.map((metric) => {
    const tested = `${metricTestText(metric)}${verdictText(metric)}`.replace(/^, /, "");
    return cells([metric.metric, text(metricCell(metric), SHOWN_SENTENCE), text(tested, SHOWN_SENTENCE)]);
  });
  const rows = atMost(
    worstFirst(report),
    SHOWN_METERED,
    (each) => {
      const shown = each.metrics.filter(({ metric }) => known.some((every) => every.metric === metric));
      return cells([text(each.scenario), ...shown.map((metric) => text(metricCell(metric), SHOWN_SENTENCE))]);
    },
    (more) => `\n… and ${counted(more, "more scenario")}`,
  );
  const head = (names: readonly string[]): string[] => [cells(names), cells(names.map(() => "---"))];
  const interval = percent(1 - report.settings.alpha);
  return [
    ...head(["per run", `baseline → candidate, ${interval} interval`, "test"]),
    ...overall,
    "",
    ...(unknown.length === 0 ? [] : [`Not recorded: ${unknown.map(({ metric }) => metric).join(", ")}.`, ""]),
    ...metricNotes(metrics).flatMap((note) => [`${text(note, SHOWN_SENTENCE)}.`, ""]),
    ...(scenarios.length === 1
      ? []
      : [
          `<details><summary>${known.map(({ metric }) => metric).join(", ")} of each scenario</summary>`,
          "",
          ...head(["per run", ...known.map(({ metric }) => metric)]),
          ...rows,
          "",
          "</details>",
          "",
        ]),
  ];
}

function divergenceOf(report: GateReport): string[] {
  const head = headOf(report);
  if (head === undefined) return [];
  const { scenario, edit, lost, grown } = head;
  const place = edit && placeOf(edit);
  const toLine = ({ drift }: Edit): string => `- ${drift.kind}: ${text(drift.sentence, SHOWN_SENTENCE)}`;
  const first =
    edit === undefined
      ? lost.length > 0 || grown !== undefined
        ? []
        : [`In ${text(scenario.scenario)}: ${text(scenario.reason, SHOWN_SENTENCE)}`, ""]
      : [`In ${text(scenario.scenario)} at ${turnsOf(edit)}: **${text(edit.drift.sentence, SHOWN_SENTENCE)}**`, ""];
  return [
    grown !== undefined
      ? `### Where ${report.headline.metric} grew most`
      : edit !== undefined
        ? "### First divergence"
        : lost.length > 0
          ? "### Where success was lost"
          : "### First finding",
    "",
    ...first,
    ...[...(grown === undefined ? [] : [grown]), ...lost, ...contrastLines(scenario)].flatMap((line) => [
      `In ${text(scenario.scenario)} ${text(line, SHOWN_SENTENCE)}`,
      "",
    ]),
    ...(place === undefined ? [] : [`at ${codeSpan(locationText(place))}`, ""]),
    ...(scenario.edits.length === 0
      ? []
      : [
          `<details><summary>${counted(scenario.edits.length, "difference")} between its typical runs</summary>`,
          "",
          ...atMost(scenario.edits, SHOWN_EDITS, toLine, (more) => `- and ${grouped(more)} more`),
          "",
          "</details>",
          "",
        ]),
    ...(scenario.outcome === undefined ? [] : [`Success rate: ${effectText(scenario.outcome.effect)}.`, ""]),
  ];
}

function commandsOf({ commands }: GateReport): string[] {
  return [
    "To reproduce it:",
    "",
    codeBlock(preview(commands.reproduce, 4_000), "sh"),
    "",
    ...(commands.bless === undefined
      ? []
      : ["To accept it as a variant of the baseline:", "", codeBlock(preview(commands.bless, 4_000), "sh")]),
    ...(commands.notBlessed === undefined ? [] : [`It cannot be accepted yet: ${text(commands.notBlessed, 400)}.`]),
  ];
}

function text(recorded: string, length = SHOWN_NAME): string {
  return escapeMarkdown(preview(recorded, length));
}

function byteLength(written: string): number {
  return new TextEncoder().encode(written).length;
}
