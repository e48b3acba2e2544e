// The report: a JSON line for the plan and one for each finished mutant, each appended in one write, so that a kill loses only the
// running mutant and `--resume` continues after it.

import { resolve } from "node:path";
import { shorten, isPlainObject, type JsonObject, type JsonValue } from "../../core/index.js";
import type { Mutant, MutantKind } from "../../harness/index.js";
import { JsonLinesError, openJsonLines } from "../../host/index.js";
import { CliError } from "../errors.js";
import { MAX_MUTATE_REPORT_BYTES, MAX_MUTATE_REPORT_TEXT_CHARACTERS } from "../limits.js";
import type { Shard } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import { toTrial, type Trial } from "./trial.js";

/** What a merge needs to know of one of several shards. */
export interface ReportPart extends Shard {
  /** The number of mutants of all shards. */
  max: number;
  baselineMs: number;
  timeoutMs: number;
  unused: readonly string[];
  leftOut: readonly { file: string; why: string }[];
}

/** Two runs with the same plan are parts of one. */
export interface Plan {
  seed: string;
  kinds: readonly MutantKind[];
  command: readonly string[];
  /** Envelope hashes by file. */
  cassettes: Readonly<Record<string, string>>;
  /** Only in the report of a shard. */
  part?: ReportPart;
}

export interface Report {
  /** The trials of the file when it was opened, by mutant id: the last one if a mutant was run twice. */
  readonly done: ReadonlyMap<string, Trial>;
  write(mutant: Mutant, trial: Trial): void;
  close(): void;
}

export const noReport: Report = { done: new Map(), write: () => undefined, close: () => undefined };

const VERSION = 1;

/** Throws `report-unusable` for a file that exists. */
export async function assertNoReport(path: string, io: CommandIo): Promise<void> {
  if ((await io.files.read(resolve(io.cwd, path), 0)).kind === "not-found") return;
  throw unusable(path, "exists and was not replaced", "Name another, or add --resume to continue it.");
}

/** Throws `report-unusable` for a report of another plan. */
export async function openReport(path: string, plan: Plan, io: CommandIo): Promise<Report> {
  const whole = resolve(io.cwd, path);
  const file = guard(path, () => openJsonLines(whole, { append: true }));
  try {
    const lines = await readLines(path, whole, io);
    if (lines.length === 0) guard(path, () => file.write({ line: "plan", reportVersion: VERSION, ...plan }));
    else assertSamePlan(path, plan, lines[0]);
    return {
      done: readTrials(path, lines),
      write: (mutant, trial) => guard(path, () => file.write({ line: "mutant", ...trial, ...shortenMutant(mutant) })),
      close: () => guard(path, () => file.close()),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** A finished report. Throws `report-unusable`. */
export async function readReport(path: string, io: CommandIo): Promise<{ plan: Plan; done: Map<string, Trial> }> {
  const lines = await readLines(path, resolve(io.cwd, path), io);
  const [head] = lines;
  assertHead(path, head);
  const { part } = head;
  if (part !== undefined && !isPart(part)) throw unusable(path, "is of an unknown shard", "Name another report.");
  return { plan: head as unknown as Plan, done: readTrials(path, lines) };
}

function isPart(value: unknown): boolean {
  if (!isPlainObject(value) || !Array.isArray(value["unused"]) || !Array.isArray(value["leftOut"])) return false;
  return ["shard", "shards", "max", "baselineMs", "timeoutMs"].every((name) => Number.isFinite(value[name]));
}

function readTrials(path: string, lines: readonly unknown[]): Map<string, Trial> {
  return new Map(lines.slice(1).map((line) => readTrial(path, line)));
}

async function readLines(path: string, whole: string, io: CommandIo): Promise<unknown[]> {
  const result = await io.files.read(whole, MAX_MUTATE_REPORT_BYTES);
  if (result.kind !== "read") throw unusable(path, `cannot be read (${result.kind})`, "Name another report.");
  const texts = new TextDecoder().decode(result.bytes).split("\n");
  return texts.filter((text) => text !== "").map((text) => parseLine(path, text));
}

function parseLine(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unusable(path, "has a line that is not JSON", "Name another report.");
  }
}

function assertHead(path: string, line: unknown): asserts line is JsonObject {
  if (isPlainObject(line) && line["line"] === "plan" && line["reportVersion"] === VERSION) return;
  throw unusable(path, "is not a report of cassette mutate", "Name another report.");
}

/** Throws `report-unusable` where the report is not of a run of this plan. Shards of one run differ in `part.shard` alone. */
export function assertSamePlan(path: string, plan: Plan, line: unknown): void {
  assertHead(path, line);
  const differs = (["seed", "kinds", "command", "cassettes"] as const).find(
    (name) => JSON.stringify(line[name]) !== JSON.stringify(plan[name]),
  );
  const what = { seed: "another seed", kinds: "other kinds", command: "another command", cassettes: "other cassettes" };
  if (differs !== undefined) throw otherRun(path, what[differs]);
  const [one, other] = [shardOf(plan), shardOf(line as unknown as Plan)];
  if (one !== other) throw otherRun(path, `${other} and not ${one}`);
}

function shardOf({ part }: Plan): string {
  return part === undefined ? "no shards" : `shard ${part.shard}/${part.shards} of ${part.max} mutants`;
}

function otherRun(path: string, what: string): CliError {
  return unusable(path, `is of a run with ${what}`, "Repeat that run, or name another report.");
}

function readTrial(path: string, line: unknown): [string, Trial] {
  const trial = isPlainObject(line) && line["line"] === "mutant" ? toTrial(line) : undefined;
  const id = isPlainObject(line) ? line["id"] : undefined;
  if (trial !== undefined && typeof id === "string") return [id, trial];
  throw unusable(path, "has a line that cassette mutate did not write", "Name another report.");
}

/** Cuts long values, which the cassette has in full. */
export function shortenMutant(mutant: Mutant): Mutant {
  const short = { ...mutant, old: shortValue(mutant.old) };
  return mutant.new === undefined ? short : { ...short, new: shortValue(mutant.new) };
}

function shortValue(value: JsonValue): JsonValue {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= MAX_MUTATE_REPORT_TEXT_CHARACTERS ? value : shorten(text, MAX_MUTATE_REPORT_TEXT_CHARACTERS);
}

function guard<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof JsonLinesError)) throw error;
    throw unusable(path, `cannot be used: ${error.message}`, error.hint);
  }
}

export function unusable(path: string, what: string, hint: string): CliError {
  return new CliError("report-unusable", `the report ${path} ${what}`, hint, path);
}
