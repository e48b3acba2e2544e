// One part of a recording in several runs: a folder with its recordings, and `shard.json`, which lists the planned and the finished runs.

import { join } from "node:path";
import { hashJson, isPlainObject, type FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";
import { MAX_RECORDED_RUNS, MAX_SHARD_FILE_BYTES } from "../limits.js";
import { whyUnread } from "../options/file.js";

export const SHARD_FILE = "shard.json";
const VERSION = 1;

/** Parts with equal plans belong together. */
export interface Plan {
  /** As given, with `{shard}`. */
  readonly command: readonly string[];
  readonly runs: number;
  readonly shards: number;
}

export interface UnitFile {
  /** From the folder of the part, with `/`. */
  readonly path: string;
  /** SHA-256 of the bytes in hex. */
  readonly sha256: string;
}

/** One finished run of the command. */
export interface Unit {
  readonly run: number;
  readonly exitCode: number;
  readonly files: readonly UnitFile[];
}

export interface Part {
  readonly plan: Plan;
  /** From 1 to `plan.shards`. */
  readonly shard: number;
  readonly units: readonly Unit[];
}

/** The suffixes of a recording and of the recording of a failed test. */
const RECORDING = /(?:\.failed)?\.cassette\.json$/;

export function isRecording(path: string): boolean {
  return RECORDING.test(path);
}

/** The folder of an unfinished run, below that of its part. */
export function unitFolder(folder: string, run: number): string {
  return join(folder, `.run-${run}`);
}

/** True for a path in such a folder. */
export function isOfUnit(path: string): boolean {
  return path.startsWith(".run-");
}

/** `a/x.2.cassette.json` for run 2 of `a/x.cassette.json`, which `cassette drift` reads as a run of the scenario `a/x`. */
export function numberedPath(path: string, run: number): string {
  return path.replace(RECORDING, (suffix) => `.${run}${suffix}`);
}

/** The number in such a path, as text. */
export function runOf(path: string): string | undefined {
  return /\.(\d+)(?:\.failed)?\.cassette\.json$/.exec(path)?.[1];
}

/** The runs of one part. With `{shard}` in the command, each run has some of the tests. Otherwise, a part has some of the runs. */
export function runsOf({ plan, shard }: Pick<Part, "plan" | "shard">): number[] {
  const all = Array.from({ length: plan.runs }, (_, index) => index + 1);
  return isSplit(plan) ? all : all.filter((run) => (run - 1) % plan.shards === shard - 1);
}

export function isSplit({ command }: Plan): boolean {
  return command.some((word) => word.includes("{shard}"));
}

/** The number of parts that share the tests of a run. */
export function splitInto(plan: Plan): number {
  return isSplit(plan) ? plan.shards : 1;
}

/** "run 4", or "run 4 of shard 1/3". */
export function nameOfRun(run: number, { plan, shard }: Pick<Part, "plan" | "shard">): string {
  return plan.shards === 1 ? `run ${run}` : `run ${run} of shard ${shard}/${plan.shards}`;
}

export function isSamePlan(one: Plan, other: Plan): boolean {
  return hashJson({ ...one, command: [...one.command] }) === hashJson({ ...other, command: [...other.command] });
}

export async function writePart(files: FilePort, folder: string, part: Part): Promise<void> {
  const { plan, ...rest } = part;
  const text = `${JSON.stringify({ shardVersion: VERSION, plan, ...rest }, null, 2)}\n`;
  const result = await files.write(join(folder, SHARD_FILE), text, { overwrite: true });
  if (result.kind === "written") return;
  const why = result.kind === "failed" ? result.message : "it already exists";
  throw unusable(
    join(folder, SHARD_FILE),
    `cannot be written: ${why}`,
    "Check the folder, and add --resume to continue.",
  );
}

/** Undefined for a folder without the file. Throws `CliError` `report-unusable` for a file that this program did not write. */
export async function readPart(files: FilePort, folder: string): Promise<Part | undefined> {
  const path = join(folder, SHARD_FILE);
  const result = await files.read(path, MAX_SHARD_FILE_BYTES);
  if (result.kind === "not-found") return undefined;
  if (result.kind !== "read") throw unusable(path, whyUnread(result, MAX_SHARD_FILE_BYTES), HINT);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(result.bytes));
  } catch {
    throw unusable(path, "is not JSON", HINT);
  }
  if (!isPart(value)) throw unusable(path, "was not written by cassette record --runs", HINT);
  const { plan, shard, units } = value;
  return { plan, shard, units };
}

const HINT = "Pass a folder that cassette record --runs wrote, or record again.";

export function unusable(path: string, what: string, hint: string): CliError {
  return new CliError("report-unusable", `${path} ${what}`, hint, path);
}

function isPart(value: unknown): value is Part {
  if (!isPlainObject(value) || value["shardVersion"] !== VERSION) return false;
  const { plan, shard, units } = value;
  if (!isPlainObject(plan) || !isRunCount(plan["runs"]) || !isRunCount(plan["shards"])) return false;
  const { command } = plan;
  const isCommand = Array.isArray(command) && command.every((word) => typeof word === "string");
  return isCommand && isCount(shard) && shard <= plan["shards"] && Array.isArray(units) && units.every(isUnit);
}

export function isUnit(value: unknown): value is Unit {
  if (!isPlainObject(value)) return false;
  const { run, exitCode, files } = value;
  return isCount(run) && Number.isSafeInteger(exitCode) && Array.isArray(files) && files.every(isUnitFile);
}

function isUnitFile(value: unknown): value is UnitFile {
  if (!isPlainObject(value)) return false;
  const { path, sha256 } = value;
  return typeof path === "string" && isInside(path) && typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256);
}

/** True for the path of a recording that stays in its folder on every system. */
function isInside(path: string): boolean {
  const segments = path.split("/");
  const isPlain = segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
  return isPlain && !/[\\:\0]/.test(path) && isRecording(path);
}

/** True for a number of runs or shards that `cassette record` accepts. */
export function isRunCount(value: unknown): value is number {
  return isCount(value) && value <= MAX_RECORDED_RUNS;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
