// From two paths to the runs of every scenario, each reduced to what the gate compares.

import { basename } from "node:path";
import { callsOf, type Cassette, type CassetteStore, type RuleSet, type Tolerances } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import {
  pairScenarios,
  scenarioOf,
  successOf,
  trajectoryOf,
  type GateRun,
  type GateScenario,
  type GateSettings,
  type PairedScenarios,
  type RuleFinding,
  type RunFile,
  type ScenarioFiles,
} from "../../harness/index.js";
import { CliError, type Failure } from "../errors.js";
import type { Progress } from "../progress.js";
import { findBroken } from "./rule-findings.js";
import { findTarget, loadRecording, pathIn, type Target } from "../recordings.js";

export interface Sides {
  paired: PairedScenarios;
  /** How many cassettes each side has. */
  names: { base: number; candidate: number };
}

/** What both sides hold. Two files are one scenario, whatever they are called. */
export async function findSides(files: FilePort, base: string, candidate: string): Promise<Sides> {
  const [old, now] = [await findTarget(files, base), await findTarget(files, candidate)];
  for (const target of [old, now]) if (target.kind === "missing") throw missing(target.path);
  const isPair = old.kind === "file" && now.kind === "file";
  const scenario = scenarioOf(basename(now.path));
  const [before, after] = [runsAt(old, isPair ? scenario : undefined), runsAt(now, isPair ? scenario : undefined)];
  return { paired: pairScenarios(before, after), names: { base: before.length, candidate: after.length } };
}

function runsAt(target: Target, name = basename(target.path)): RunFile[] {
  if (target.kind !== "folder") return [{ name, file: target.path }];
  return target.names.map((below) => ({ name: below, file: pathIn(target.path, below) }));
}

function missing(path: string): CliError {
  return new CliError("nothing-found", `${path} is no file and no folder`, "Check the path.", path);
}

/** The settings that decide what of a recording is compared. */
export interface ReduceOptions {
  ignore: readonly string[];
  readOnly: readonly string[];
  order: GateSettings["order"];
  content?: boolean;
  success?: string;
  tolerances: Tolerances | undefined;
  rules: RuleSet | undefined;
}

export interface LoadedRuns {
  scenarios: GateScenario[];
  failures: Failure[];
  /** By scenario. */
  broken: Map<string, RuleFinding[]>;
}

/** Loads every run of the scenarios, one at a time, and goes on behind one that is refused. */
export async function loadRuns(
  { store, files }: { store: CassetteStore; files: FilePort },
  shared: readonly ScenarioFiles[],
  options: ReduceOptions,
  progress: Progress,
): Promise<LoadedRuns> {
  const total = shared.reduce((sum, { base, candidate }) => sum + base.length + candidate.length, 0);
  const failures: Failure[] = [];
  const broken = new Map<string, RuleFinding[]>();
  let done = 0;
  const load = async (side: RuleFinding["side"], { scenario, [side]: runs }: ScenarioFiles): Promise<GateRun[]> => {
    const loaded: GateRun[] = [];
    for (const { file } of runs) {
      progress.step(done++, total);
      const recording = await loadRecording(store, file);
      if (recording.kind === "failed") {
        failures.push(recording.failure);
        continue;
      }
      const { cassette } = recording;
      loaded.push(reduce(file, cassette, options));
      if (options.rules === undefined) continue;
      const found = await findBroken(files, { file, cassette, side }, options.rules);
      broken.set(scenario, [...(broken.get(scenario) ?? []), ...found]);
    }
    return loaded;
  };
  const scenarios: GateScenario[] = [];
  for (const each of shared) {
    scenarios.push({
      scenario: each.scenario,
      base: await load("base", each),
      candidate: await load("candidate", each),
    });
  }
  return { scenarios, failures, broken };
}

function reduce(file: string, cassette: Cassette, options: ReduceOptions): GateRun {
  const { ignore, readOnly, order, content, tolerances } = options;
  const success = successOf(cassette, options.success);
  return {
    file,
    trajectory: trajectoryOf(cassette, {
      ignore,
      readOnly,
      order,
      content: content === true,
      ...(tolerances === undefined ? {} : { tolerances }),
    }),
    turns: cassette.entries.length,
    calls: callsOf(cassette).length,
    ...(success === undefined ? {} : { success }),
  };
}
