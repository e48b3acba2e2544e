// `cassette record --runs`: runs a command several times and keeps the recordings of every run in one folder, for `cassette drift`.

import { rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { defined, plural } from "../../core/index.js";
import { holdSignals, toExitCode } from "../child/spawn.js";
import { withClaim, type Claimant } from "../claim.js";
import { CliError, usageError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import type { Shard } from "../options/values.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createNotes, writeJson } from "../terminal/output.js";
import {
  addCosts,
  costText,
  createCostCounter,
  estimateRun,
  NO_COST,
  type Cost,
  type CostCounter,
  type Estimate,
} from "./cost.js";
import {
  isOfUnit,
  isSamePlan,
  isSplit,
  readPart,
  runsOf,
  SHARD_FILE,
  splitInto,
  unusable,
  type Part,
  type Unit,
} from "./part.js";
import { recordUnit, settle, type UnitPlace } from "./unit.js";

export interface RunsRequest {
  command: readonly string[];
  runs: number;
  into: string;
  shard?: Shard | undefined;
  resume?: boolean | undefined;
  maxCostUsd?: number | undefined;
  /** A file of prices. */
  prices?: string | undefined;
  json: boolean;
}

/** Why the command ends. */
type Ending = { kind: "done" } | { kind: "stopped"; signal: NodeJS.Signals } | { kind: "over-cost"; why: string };

const CLAIMANT: Claimant = { command: "record", refusal: "nothing was recorded", notWritten: "report-unusable" };

/**
 * Exits 0 if every run succeeded, 1 if one failed, 2 at the cost limit, and 128 + n after signal n. Throws `report-unusable` or
 * `path-taken` for a folder that does not belong to these runs, and `record-running` if another process records into it.
 */
export async function recordRuns(request: RunsRequest, io: CommandIo): Promise<void> {
  const planned = plannedPart(request);
  const folder = resolve(io.cwd, request.into);
  const signals = holdSignals();
  try {
    const costOf = await createCostCounter(request.prices, io);
    const costing = { costOf, maxCostUsd: request.maxCostUsd };
    const place = { folder, io, stdoutToStderr: request.json, isStopped: () => signals.caught() !== undefined };
    const isNew = (await io.files.list(folder, "")) === undefined;
    const result = await withClaim(filesAt(io), request.into, CLAIMANT, async () =>
      recordAll(await openPart(planned, request, io), place, costing, signals.caught),
    ).finally(() => (isNew ? removeIfEmpty(folder) : undefined));
    report(request, result, io);
  } finally {
    signals.release();
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}

/** The part before its first run. Throws `usage` for a shard without a run. */
function plannedPart({ command, runs, shard: own = { shard: 1, shards: 1 } }: RunsRequest): Part {
  const part: Part = { plan: { command, runs, shards: own.shards }, shard: own.shard, units: [] };
  if (own.shards <= runs || isSplit(part.plan)) return part;
  const hint = "Use at most as many shards as runs, or pass {shard} to the command.";
  throw usageError(`${own.shards} shards of ${plural(runs, "run")} leave shards without a run`, hint);
}

/** The part with the runs that are finished. */
async function openPart(part: Part, { into, resume = false }: RunsRequest, io: CommandIo): Promise<Part> {
  const folder = resolve(io.cwd, into);
  const before = await readPart(io.files, folder);
  if (before === undefined) {
    const found = ((await io.files.list(folder, ".json")) ?? []).find((name) => !isOfUnit(name));
    if (found === undefined) return part;
    const hint = "Choose a new or an empty folder.";
    throw new CliError("path-taken", `${into} contains other files, such as ${found}`, hint, into);
  }
  const path = join(into, SHARD_FILE);
  if (!resume)
    throw unusable(path, "already exists", "Add --resume to continue that recording, or choose another folder.");
  if (before.shard !== part.shard || !isSamePlan(before.plan, part.plan)) {
    const { plan, shard } = before;
    const words = `${plural(plan.runs, "run")} of ${JSON.stringify(plan.command.join(" "))}, shard ${shard}/${plan.shards}`;
    throw unusable(path, `belongs to ${words}`, "Repeat the original command line, or choose another folder.");
  }
  await settle(folder, before.units, io.files);
  return before;
}

interface Costing {
  costOf: CostCounter;
  maxCostUsd: number | undefined;
}

async function recordAll(
  part: Part,
  place: UnitPlace,
  { costOf, maxCostUsd }: Costing,
  caught: () => NodeJS.Signals | undefined,
): Promise<Result> {
  const { folder, io } = place;
  const note = createNotes(io);
  const isDone = (run: number): boolean => part.units.some((unit) => unit.run === run);
  const left = runsOf(part).filter((run) => !isDone(run));
  const estimate = left.length === 0 ? undefined : await estimateRun(part.plan, costOf, io);
  if (left.length > 0) note("cassette record: ", estimateText(left.length, estimate, splitInto(part.plan)));
  const before = part.units.length;
  if (maxCostUsd !== undefined && estimate === undefined && before === 0 && left.length > 0) {
    note(`cassette record: run ${left[0]} has no estimate, so the limit of ${maxCostUsd} USD applies only after it`);
  }
  let [spent, perRun]: [Cost, Cost] = [NO_COST, estimate ?? NO_COST];
  const spend = (cost: Cost): void => {
    spent = addCosts(spent, cost);
    perRun = { usd: Math.max(perRun.usd, cost.usd), unknown: cost.unknown };
  };
  for (const unit of part.units) spend(await costOfUnit(unit, folder, costOf));
  const began = performance.now();
  for (const [index, run] of left.entries()) {
    const why = maxCostUsd === undefined ? undefined : overCost(spent, perRun, maxCostUsd);
    if (why !== undefined) return { part, spent, ending: { kind: "over-cost", why } };
    const next = await recordUnit(part, run, place);
    const signal = caught();
    if (next === undefined) return { part, spent, ending: { kind: "stopped", signal: signal ?? "SIGTERM" } };
    part = next;
    const unit = next.units.at(-1) as Unit;
    const cost = await costOfUnit(unit, folder, costOf);
    spend(cost);
    const seconds = (performance.now() - began) / 1000;
    note(`cassette record: run ${run}: `, progressText(unit, cost, { seconds, index, total: left.length }));
  }
  return { part, spent, ending: { kind: "done" } };
}

function costOfUnit({ files }: Unit, folder: string, costOf: CostCounter): Promise<Cost> {
  return costOf(files.map(({ path }) => join(folder, path)));
}

export function estimateText(runs: number, estimate: Estimate | undefined, shards: number): string {
  const what = `${plural(runs, "run")} to record`;
  if (estimate === undefined)
    return `${what}, cost unknown: there is no cassette below this folder to estimate it from`;
  const { cassettes, usd, unknown } = estimate;
  const from = `estimated from ${plural(cassettes, "cassette")} below this folder`;
  if (usd === 0 && unknown > 0) return `${what}, cost unknown, ${from}`;
  const share = shards === 1 ? "" : `, if each of the ${shards} shards takes an equal part`;
  return `${what}, about ${costText({ usd: usd * runs, unknown: unknown * runs })}, ${from}${share}`;
}

/** The reason not to start another run. */
function overCost(spent: Cost, perRun: Cost, maxCostUsd: number): string | undefined {
  const unknown = spent.unknown === 0 ? perRun.unknown : spent.unknown;
  if (unknown > 0) {
    return `the cost of ${plural(unknown, "recorded turn")} is unknown, so a limit cannot be kept. Set prices with --prices FILE`;
  }
  if (spent.usd + perRun.usd <= maxCostUsd) return undefined;
  return `${costText(spent)} spent, and another run could exceed the limit of ${maxCostUsd} USD`;
}

function progressText(
  { exitCode, files }: Unit,
  cost: Cost,
  { seconds, index, total }: { seconds: number; index: number; total: number },
): string {
  const left = total - index - 1;
  const ending = exitCode === 0 ? "" : `, exit code ${exitCode}`;
  const rest = left === 0 ? "" : `; ${plural(left, "run")} left, about ${durationText((seconds / (index + 1)) * left)}`;
  return `${plural(files.length, "recording")}, ${costText(cost)}${ending}${rest}`;
}

function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

interface Result {
  part: Part;
  spent: Cost;
  ending: Ending;
}

function report({ into, json }: RunsRequest, { part, spent, ending }: Result, io: CommandIo): void {
  const failed = part.units.filter(({ exitCode }) => exitCode !== 0).map(({ run }) => run);
  const left = runsOf(part).length - part.units.length;
  const exitCode = exitCodeFor(ending, failed.length);
  io.exit(exitCode);
  if (json) {
    const { plan, shard, units } = part;
    const cost = spent.unknown === 0 ? { costUsd: spent.usd } : { turnsWithoutCost: spent.unknown };
    const stopped = ending.kind === "over-cost" ? ending.why : undefined;
    writeJson(io, "record", exitCode, {
      ran: plan.command,
      into,
      runs: plan.runs,
      shard,
      shards: plan.shards,
      left,
      ...cost,
      ...defined({ stopped }),
      units,
    });
    return;
  }
  const note = createNotes(io);
  const recordings = part.units.reduce((sum, { files }) => sum + files.length, 0);
  const bad = failed.length === 0 ? "" : `; failed: ${failed.join(", ")}`;
  note(
    `cassette record: ${plural(part.units.length, "run")} recorded, ${plural(recordings, "recording")} in `,
    into,
    bad,
  );
  if (ending.kind === "over-cost") note("cassette record: stopped: ", ending.why);
  if (left > 0) note(`cassette record: ${plural(left, "run")} left; add --resume to continue`);
}

function exitCodeFor(ending: Ending, failed: number): number {
  switch (ending.kind) {
    case "stopped":
      return toExitCode(ending.signal);
    case "over-cost":
      return EXIT.failed;
    case "done":
      return failed > 0 ? EXIT.drift : EXIT.ok;
  }
}
