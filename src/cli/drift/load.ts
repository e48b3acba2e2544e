// Loads the runs of every scenario from two paths, each reduced to what the gate compares.

import { basename } from "node:path";
import {
  callsOf,
  type Cassette,
  type CassetteStore,
  type RuleSet,
  type Tolerances,
  type TurnPricer,
  checkRules,
  DEFAULT_MAX_FILE_BYTES,
  type RuleBreak,
} from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import {
  outcomeOf,
  pairScenarios,
  scenarioOf,
  scoresOf,
  spendingOf,
  successOf,
  trajectoryOf,
  type GateRun,
  type GateScenario,
  type GateSettings,
  type PairedScenarios,
  type RuleFinding,
  type RunFile,
  type UnpairedScenario,
  turnLines,
} from "../../harness/index.js";
import { CliError, type Failure } from "../errors.js";
import type { Progress } from "../terminal/progress.js";
import type { SideTargets, Unfit } from "./commands.js";
import { findTarget, loadRecording, pathIn, type Target } from "../options/recordings.js";

export interface Sides {
  targets: SideTargets;
  paired: PairedScenarios;
  /** How many cassettes each side has. */
  names: { base: number; candidate: number };
}

/** The run of a failed test is a run of its scenario. */
const FAILED_TOO = { withFailed: true };

/** The runs of both sides. Two files are one scenario, whatever their names are. */
export async function findSides(files: FilePort, base: string, candidate: string): Promise<Sides> {
  const [old, now] = [await findTarget(files, base, FAILED_TOO), await findTarget(files, candidate, FAILED_TOO)];
  for (const { kind, path } of [old, now]) {
    if (kind === "missing") throw new CliError("nothing-found", `${path} does not exist`, "Check the path.", path);
  }
  const isPair = old.kind === "file" && now.kind === "file";
  const scenario = scenarioOf(basename(now.path));
  const [before, after] = [runsAt(old, isPair ? scenario : undefined), runsAt(now, isPair ? scenario : undefined)];
  const targets = { base: old, candidate: now };
  return { targets, paired: pairScenarios(before, after), names: { base: before.length, candidate: after.length } };
}

function runsAt(target: Target, name = basename(target.path)): RunFile[] {
  if (target.kind !== "folder") return [{ name, file: target.path }];
  return target.names.map((below) => ({ name: below, file: pathIn(target.path, below) }));
}

/** The settings that decide which parts of a recording are compared. */
interface ReduceOptions {
  ignore: readonly string[];
  readOnly: readonly string[];
  order: GateSettings["order"];
  content?: boolean;
  success?: string;
  tolerances: Tolerances | undefined;
  rules: RuleSet | undefined;
  price: TurnPricer;
}

interface LoadedRuns {
  scenarios: GateScenario[];
  unpaired: UnpairedScenario[];
  failures: Failure[];
  /** By scenario, of those on both sides. */
  broken: Map<string, RuleFinding[]>;
  unfit: Unfit;
}

/**
 * Loads every run of the shared scenarios and every other run of the candidate, one at a time, and goes on after a refused one. A
 * refused run of a scenario that only the candidate has is a failure only if there are rules, which it must keep.
 */
export async function loadRuns(
  { store, files }: { store: CassetteStore; files: FilePort },
  { shared, unpaired }: PairedScenarios,
  options: ReduceOptions,
  progress: Progress,
): Promise<LoadedRuns> {
  const total =
    shared.reduce((sum, { base, candidate }) => sum + base.length + candidate.length, 0) +
    unpaired.reduce((sum, { side, runs }) => sum + (side === "candidate" ? runs.length : 0), 0);
  const failures: Failure[] = [];
  const unfit: Unfit = { failed: 0, brokenOff: 0, unproven: 0, refused: 0 };
  let done = 0;
  const load = async (runs: readonly RunFile[], side: RuleFinding["side"], isNeeded = true) => {
    const loaded: { runs: GateRun[]; broken: RuleFinding[] } = { runs: [], broken: [] };
    for (const { file } of runs) {
      progress.step(done++, total);
      const recording = await loadRecording(store, file);
      if (recording.kind === "failed") {
        if (isNeeded) failures.push(recording.failure);
        unfit.refused++;
        continue;
      }
      const { cassette } = recording;
      if (side === "candidate") countUnfit(unfit, cassette, options.success);
      loaded.runs.push(reduce(file, cassette, options));
      if (options.rules === undefined) continue;
      loaded.broken.push(...(await findBroken(files, { file, cassette, side }, options.rules)));
    }
    return loaded;
  };
  const scenarios: GateScenario[] = [];
  const broken = new Map<string, RuleFinding[]>();
  for (const { scenario, base, candidate } of shared) {
    const [old, now] = [await load(base, "base"), await load(candidate, "candidate")];
    scenarios.push({ scenario, base: old.runs, candidate: now.runs });
    broken.set(scenario, [...old.broken, ...now.broken]);
  }
  const alone: UnpairedScenario[] = [];
  for (const { scenario, side, runs } of unpaired) {
    const rules = side === "candidate" ? (await load(runs, side, options.rules !== undefined)).broken : [];
    alone.push({ scenario, side, runs: runs.length, file: runs[0]?.file ?? "", rules });
  }
  return { scenarios, unpaired: alone, failures, broken, unfit };
}

function countUnfit(unfit: Unfit, cassette: Cassette, success: string | undefined): void {
  const outcome = outcomeOf(cassette, success);
  if (cassette.version === 1) unfit.unproven++;
  else if (outcome === "failed") unfit.failed++;
  else if (outcome === "broken-off" || (outcome === "unrecorded" && success !== undefined)) unfit.brokenOff++;
}

function reduce(file: string, cassette: Cassette, options: ReduceOptions): GateRun {
  const { ignore, readOnly, order, content = false, tolerances } = options;
  const success = successOf(cassette, options.success);
  return {
    file,
    trajectory: trajectoryOf(cassette, { ignore, readOnly, order, content, ...defined({ tolerances }) }),
    turns: cassette.entries.length,
    calls: callsOf(cassette).length,
    ...defined({ success }),
    spending: spendingOf(cassette, options.price),
    scores: scoresOf(cassette),
  };
}

/** One finding for each broken rule: the first break, and the number of further ones. */
async function findBroken(
  files: FilePort,
  { file, cassette, side }: { file: string; cassette: Cassette; side: RuleFinding["side"] },
  rules: RuleSet,
): Promise<RuleFinding[]> {
  const broken = new Map<string, { first: RuleBreak; more: number }>();
  for (const found of checkRules(cassette, rules)) {
    const known = broken.get(found.rule);
    if (known === undefined) broken.set(found.rule, { first: found, more: found.more ?? 0 });
    else known.more += 1 + (found.more ?? 0);
  }
  if (broken.size === 0) return [];
  const lines = await linesOf(files, file);
  return [...broken.values()].map(({ first: { rule, turn, sentence }, more }): RuleFinding => {
    const line = lines[turn];
    const location = { file, turn, ...defined({ line }) };
    return { rule, side, location, sentence: more === 0 ? sentence : `${sentence} And ${more} more of this rule.` };
  });
}

/** The line on which each turn begins. */
export async function linesOf(files: FilePort, file: string): Promise<number[]> {
  const read = await files.read(file, DEFAULT_MAX_FILE_BYTES);
  return read.kind === "read" ? turnLines(new TextDecoder().decode(read.bytes)) : [];
}
