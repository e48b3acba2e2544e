// The lines of `cassette stats`: sums, then tools, models and providers, then refused files.

import type { CassetteStats, NameCounts, UsageSum } from "../../cassette/index.js";
import { defined, PRICING_DATE } from "../../core/index.js";
import { cachedOf, count, type PrintLine } from "../terminal/output.js";

const SHOWN_ROWS = 15;

interface Shown {
  stats: CassetteStats;
  judges: number;
  groups: readonly { name: string; stats: CassetteStats }[];
  ungrouped: number;
  refused: number;
  failures: readonly { file: string; failure: { code: string; message: string } }[];
}

export function printStats(
  line: PrintLine,
  { stats, judges, groups, ungrouped, refused, failures }: Shown,
  { by, prices }: { by?: "folder" | "model"; prices?: string },
): void {
  const { cassettes, bytes, usage, toolCalls, exchanges } = stats;
  const others = exchanges === 0 ? [] : [count(exchanges, "exchange")];
  const sums = [count(usage.turns, "turn"), ...others, count(toolCalls, "tool call"), sizeOf(bytes)];
  line({ look: "bold", text: count(cassettes, "cassette") }, `: ${sums.join(", ")}`);
  row(line, "tokens", tokensOf(usage));
  row(line, "cost", costOf(usage, prices));
  const unpriced = unpricedText(stats.unpriced);
  if (unpriced !== "") row(line, "no price", unpriced);
  row(line, "recorded", stats.oldest === undefined ? "unknown" : `${stats.oldest} to ${stats.newest ?? ""}`);
  row(line, "versions", `${stats.version2} of version 2, ${stats.version1} of version 1`);
  if (judges > 0) row(line, "judges", `${count(judges, "cassette")} of a judge, counted with the others`);
  row(line, "proof", `${stats.signed} signed, ${cassettes - stats.signed} not`);
  const { filtered, redacted, withoutPrompts } = stats;
  row(line, "contents", `${filtered} filtered, ${redacted} redacted, ${withoutPrompts} without prompts`);
  printNames(line, "tools", stats.tools, "call");
  printNames(line, "models", stats.models, "turn");
  printNames(line, "providers", stats.providers, "cassette");
  line("largest");
  for (const { file, bytes: size } of stats.largest) line(`  ${sizeOf(size).padStart(9)}  ${file}`);
  if (by !== undefined) printGroups(line, groups, ungrouped, { by, ...defined({ prices }) });
  for (const { file, failure } of failures) {
    line({ look: "bad", text: "refused  " }, file, `  ${failure.code}: ${failure.message}`);
  }
  if (refused > failures.length) line(`  and ${refused - failures.length} more`);
  if (refused > 0) line({ look: "bad", text: `${count(refused, "file")} refused, and not counted above` });
}

function row(line: PrintLine, name: string, text: string): void {
  line({ look: "dim", text: `  ${name.padEnd(9)}` }, text);
}

/** Tokens in and out, with the number of turns whose tokens are unknown. */
export function tokensOf(usage: UsageSum): string {
  const { turns, inputTokens, outputTokens, turnsWithoutTokens } = usage;
  if (turns === turnsWithoutTokens) return "unknown";
  return `${inputTokens} in${cachedOf(usage)}, ${outputTokens} out${without(turnsWithoutTokens)}`;
}

/** The cost, with the number of turns whose cost is derived or unknown. `prices` is the price file. */
export function costOf(usage: UsageSum, prices = "the price file"): string {
  const { turns, costUsd, turnsWithDerivedCost = 0, turnsWithFileCost = 0, turnsWithoutCost } = usage;
  if (costUsd === undefined) return "unknown";
  const source = (found: number, text: string): string[] => {
    const isAll = found + turnsWithoutCost === turns;
    return found === 0 ? [] : [`derived${isAll ? "" : ` for ${count(found, "turn")}`} by ${text}`];
  };
  const derived = [
    ...source(turnsWithFileCost, `the prices of ${prices}`),
    ...source(turnsWithDerivedCost, `list prices of ${PRICING_DATE}`),
  ].join(", ");
  const least = turnsWithoutCost === 0 ? "" : "at least ";
  return `${least}${costUsd} USD${derived === "" ? "" : ` (${derived})`}${without(turnsWithoutCost)}`;
}

const SHOWN_UNPRICED = 5;

/** "mistral-small-latest in 41 turns (--prices FILE gives a price)". */
function unpricedText({ names, others = 0 }: NameCounts): string {
  if (names.length === 0) return "";
  const shown = names.slice(0, SHOWN_UNPRICED).map((each) => `${each.name} in ${count(each.count, "turn")}`);
  const rest = names.slice(SHOWN_UNPRICED).reduce((sum, each) => sum + each.count, others);
  return `${[...shown, ...(rest === 0 ? [] : [`others in ${count(rest, "turn")}`])].join(", ")}. --prices FILE sets prices`;
}

function without(turns: number): string {
  return turns === 0 ? "" : `, unknown for ${count(turns, "turn")}`;
}

function printNames(line: PrintLine, title: string, { names, others }: NameCounts, unit: string): void {
  if (names.length === 0) return;
  line(title);
  for (const { name, count: times, cassettes } of names.slice(0, SHOWN_ROWS)) {
    const inHowMany = unit === "cassette" ? "" : ` in ${count(cassettes, "cassette")}`;
    line(`  ${String(times).padStart(9)}  ${name}`, { look: "dim", text: inHowMany });
  }
  const rest = names.slice(SHOWN_ROWS);
  const more = rest.reduce((sum, each) => sum + each.count, others ?? 0);
  const isCapped = others !== undefined;
  if (more > 0)
    line(`  ${String(more).padStart(9)}  of ${rest.length}${isCapped ? " or more" : ""} others; --json lists them`);
}

function printGroups(
  line: PrintLine,
  groups: Shown["groups"],
  ungrouped: number,
  { by, prices }: { by: string; prices?: string },
): void {
  line(`by ${by}`);
  for (const { name, stats } of groups) {
    const { cassettes, bytes, usage, toolCalls } = stats;
    const counts = `${count(cassettes, "cassette")}, ${count(usage.turns, "turn")}, ${count(toolCalls, "tool call")}`;
    line(`  ${name}`, { look: "dim", text: `  ${counts}, ${sizeOf(bytes)}, cost ${costOf(usage, prices)}` });
  }
  if (ungrouped > 0) line(`  ${count(ungrouped, "cassette")} of further groups`);
}

/** Bytes in the largest unit that leaves a whole number before the point. */
function sizeOf(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1_024 ** power).toFixed(1)} ${units[power - 1] ?? ""}`;
}
