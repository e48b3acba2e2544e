// Values of arguments and options: paths, numbers, and the words that the layers below list. The lists are copies, so that declaring a
// command or printing its help loads none of those layers. A test compares them.

import { InvalidArgumentError, Option } from "commander";
import type { CallOrder } from "../../cassette/index.js";
import type { GateSettings, MutantKind, Verdict } from "../../harness/index.js";
import type { AgentName } from "../agent/agents.js";
import { MAX_BYTES_OPTION, MAX_JOBS, MAX_RECORDED_RUNS } from "../limits.js";

/** An unset variable leaves an empty path, which would mean the working folder. */
export function parsePath(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("The path must not be empty.");
}

export function collectPaths(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), parsePath(text)];
}

export const DEFAULT_PORT = 4747;

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}

/** One of several parts of a job, which run on machines of their own. */
export interface Shard {
  /** From 1 to `shards`. */
  readonly shard: number;
  readonly shards: number;
}

/** "2/3", as test runners write a shard. */
export function shardOption(what: string): Option {
  return new Option("--shard <i/n>", `${what} of n parts, on n machines`).argParser((text) => {
    const [shard = 0, shards = 0] = /^(\d{1,4})\/(\d{1,4})$/.exec(text)?.slice(1).map(Number) ?? [];
    if (shard >= 1 && shard <= shards && shards <= MAX_RECORDED_RUNS) return { shard, shards };
    throw new InvalidArgumentError(`Give the part and the number of parts, such as 1/3, up to ${MAX_RECORDED_RUNS}.`);
  });
}

/** `--job` and `--store`, which belong together. The store is not parsed here, because an error would print its password. */
export function jobOptions(what: string): [Option, Option] {
  return [
    new Option("--job <name>", what).argParser((text) => {
      if (/^\w[\w.-]{0,99}$/.test(text)) return text;
      throw new InvalidArgumentError("Give up to 100 letters, digits, dots, dashes and underscores.");
    }),
    new Option("--store <where>", "with --job: SQLite file, postgres://… or env:NAME, the same on each machine"),
  ];
}

export function parseUsd(text: string): number {
  if (/^\d{1,6}(\.\d{1,8})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("Give an amount above 0, such as 0.50.");
}

/** The output does not depend on the number of threads. */
export function jobsOption(): Option {
  const meaning =
    "highest number of threads; 1 starts no further thread (default: up to one per core, where that is faster)";
  return new Option("--jobs <n>", meaning).argParser(wholeNumber(1, MAX_JOBS));
}

export function maxBytesOption(): Option {
  const meaning = "size limit of a cassette file in bytes (default: 67108864)";
  return new Option("--max-bytes <n>", meaning).argParser(wholeNumber(1, MAX_BYTES_OPTION));
}

export function pricesOption(when = ""): Option {
  return new Option("--prices <file>", `${when}JSON file of prices by model, in USD per million tokens`).argParser(
    parsePath,
  );
}

export function portOption(condition = ""): Option {
  const meaning = `${condition}port to listen on; 0 chooses a free one (default: ${DEFAULT_PORT}, or 0 with a command)`;
  return new Option("--port <n>", meaning).argParser(wholeNumber(0, 65_535));
}

/** `CODING_AGENTS` of the room `agent`. */
export const AGENT_CHOICES: readonly AgentName[] = ["claude", "codex", "gemini", "opencode", "aider", "qwen"];

export function agentOption(verb: string): Option {
  return new Option(
    "--agent <name>",
    `the command is a coding agent: ${verb} its conversations and compare its files`,
  ).choices(AGENT_CHOICES);
}

export function passOption(meaning: string): Option {
  const option = new Option("--pass <pattern>", `${meaning}; "GET /v1/models" or "/v1/files/**" (repeatable)`);
  return option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
}

/** May be given several times, each with one name or more. */
export function filterOption(condition = ""): Option {
  const meaning = `${condition}texts of prompts to leave out of the comparison: isoDate, date, time, path, version, number-in:<field> and more (repeatable)`;
  return new Option("--filter <names>", meaning).argParser(collectNames);
}

export function filterFileOption(condition = ""): Option {
  return new Option("--filter-file <file>", `${condition}JSON file with filters and patterns`).argParser(parsePath);
}

function collectNames(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), ...text.split(",").map((name) => name.trim())];
}

/** `CALL_ORDERS` of the cassette layer. */
export const ORDER_CHOICES: readonly CallOrder[] = [
  "strict",
  "exact",
  "in_order",
  "unordered",
  "any_order",
  "subset",
  "superset",
];

/** `VERDICTS` of the harness. */
export const VERDICT_CHOICES: readonly Verdict[] = ["same", "better", "drift", "regression", "inconclusive"];

export type MetricChoice = Exclude<NonNullable<GateSettings["thresholds"]>[number]["metric"], `score:${string}`>;

/** `METRICS` of the harness. Names of scores are free. */
export const METRIC_CHOICES: readonly MetricChoice[] = ["cost", "tokens", "turns", "calls", "latency"];

/** `REPORTER_NAMES` of the harness. */
export const REPORTER_CHOICES: readonly string[] = ["text", "json", "junit", "sarif", "github", "markdown", "html"];

/** `MUTANT_KINDS` of the harness. */
export const MUTANT_CHOICES: readonly MutantKind[] = ["prompt", "arguments", "result", "answer", "stop", "tool"];
