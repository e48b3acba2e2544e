// `cassette record --runs`: runs a command several times, and keeps the recordings of every run in one folder, for `cassette drift`.

import { join, resolve } from "node:path";
import { defined, plural } from "../../core/index.js";
import { holdSignals } from "../child/spawn.js";
import { CliError, usageError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import type { Shard } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes, writeJson } from "../terminal/output.js";
import { addCosts, costOfFiles, costText, estimateRun, NO_COST, type Cost, type Estimate } from "./cost.js";
import { isSamePlan, readPart, runsOf, SHARD_FILE, unusable, type Part, type Unit } from "./part.js";
import { recordUnit, settle, type UnitPlace } from "./unit.js";

export interface RunsRequest {
  command: readonly string[];
  runs: number;
  into: string;
  shard?: Shard | undefined;
  resume?: boolean | undefined;
  maxCostUsd?: number | undefined;
  json: boolean;
}

/** Why the command ends. */
type Ending = { kind: "done" } | { kind: "stopped"; signal: NodeJS.Signals } | { kind: "over-cost"; why: string };

/**
 * Exits 0 if every run succeeded, 1 if one failed, 2 at the cost limit, and 128 + n after signal n. Throws `report-unusable` or
 * `path-taken` for a folder that does not belong to these runs.
 */
export async function recordRuns(request: RunsRequest, io: CommandIo): Promise<void> {
  const folder = resolve(io.cwd, request.into);
  const signals = holdSignals();
  try {
    const part = await openPart(request, folder, io);
    const place = { folder, io, stdoutToStderr: request.json, isStopped: () => signals.caught() !== undefined };
    const { done, spent, ending } = await recordAll(part, place, request.maxCostUsd, signals.caught);
    report(request, { part: done, spent, ending }, io);
  } finally {
    signals.release();
  }
}

/** The part as far as it is done. */
async function openPart(request: RunsRequest, folder: string, io: CommandIo): Promise<Part> {
  const { command, runs, into, shard: own = { shard: 1, shards: 1 }, resume = false } = request;
  const part: Part = { plan: { command, runs, shards: own.shards }, shard: own.shard, units: [] };
  if (runsOf(part).length === 0) {
    const hint = "Use at most as many shards as runs, or pass {shard} to the command.";
    throw usageError(`shard ${own.shard}/${own.shards} of ${plural(runs, "run")} has no run`, hint);
  }
  const before = await readPart(io.files, folder);
  if (before === undefined) {
    const found = ((await io.files.list(folder, ".json")) ?? []).find((name) => !name.startsWith(".run-"));
    if (found === undefined) return part;
    const hint = "Name another folder, or a new one.";
    throw new CliError("path-taken", `${into} contains other files, such as ${found}`, hint, into);
  }
  const path = join(into, SHARD_FILE);
  if (!resume) throw unusable(path, "exists", "Add --resume to continue it, or name another folder.");
  if (before.shard !== part.shard || !isSamePlan(before.plan, part.plan)) {
    const { plan, shard } = before;
    const words = `${plural(plan.runs, "run")} of ${JSON.stringify(plan.command.join(" "))}, shard ${shard}/${plan.shards}`;
    throw unusable(path, `belongs to ${words}`, "Repeat the first command line, or name another folder.");
  }
  await settle(folder, before.units, io.files);
  return before;
}

async function recordAll(
  part: Part,
  place: UnitPlace,
  maxCostUsd: number | undefined,
  caught: () => NodeJS.Signals | undefined,
): Promise<{ done: Part; spent: Cost; ending: Ending }> {
  const { folder, io } = place;
  const note = createNotes(io);
  const isDone = (run: number): boolean => part.units.some((unit) => unit.run === run);
  const left = runsOf(part).filter((run) => !isDone(run));
  let spent = await costOfUnits(part.units, folder, io);
  const estimate = left.length === 0 ? undefined : await estimateRun(io);
  if (left.length > 0) note("cassette record: ", estimateText(left.length, estimate));
  let perRun = estimate?.usd ?? 0;
  const began = performance.now();
  for (const [index, run] of left.entries()) {
    const why = maxCostUsd === undefined ? undefined : overCost(spent, perRun, maxCostUsd);
    if (why !== undefined) return { done: part, spent, ending: { kind: "over-cost", why } };
    const next = await recordUnit(part, run, place);
    const signal = caught();
    if (next === undefined) return { done: part, spent, ending: { kind: "stopped", signal: signal ?? "SIGTERM" } };
    part = next;
    const unit = next.units.slice(-1);
    const cost = await costOfUnits(unit, folder, io);
    spent = addCosts(spent, cost);
    perRun = Math.max(perRun, cost.usd);
    const seconds = (performance.now() - began) / 1000;
    note(`cassette record: run ${run}: `, progressText(unit[0] as Unit, cost, { seconds, index, total: left.length }));
  }
  return { done: part, spent, ending: { kind: "done" } };
}

function costOfUnits(units: readonly Unit[], folder: string, io: CommandIo): Promise<Cost> {
  const paths = units.flatMap(({ files }) => files.map(({ path }) => join(folder, path)));
  return paths.length === 0 ? Promise.resolve(NO_COST) : costOfFiles(paths, io);
}

function estimateText(runs: number, estimate: Estimate | undefined): string {
  const what = `${plural(runs, "run")} to record`;
  if (estimate === undefined) return `${what}, cost unknown: there is no cassette here to estimate it by`;
  const { cassettes, usd, unknown } = estimate;
  return `${what}, about ${costText({ usd: usd * runs, unknown: unknown * runs })}, by ${plural(cassettes, "cassette")} below this folder`;
}

/** The reason not to begin another run. */
function overCost({ usd, unknown }: Cost, perRun: number, maxCostUsd: number): string | undefined {
  if (unknown > 0) return `the cost of ${plural(unknown, "recorded turn")} is unknown, so a limit cannot hold`;
  if (usd + perRun <= maxCostUsd) return undefined;
  return `${costText({ usd, unknown })} spent, and another run could exceed the limit of ${maxCostUsd} USD`;
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

const SIGNAL_CODES: Partial<Record<NodeJS.Signals, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

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
      return SIGNAL_CODES[ending.signal] ?? EXIT.failed;
    case "over-cost":
      return EXIT.failed;
    case "done":
      return failed > 0 ? EXIT.drift : EXIT.ok;
  }
}
