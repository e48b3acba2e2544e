// One scenario of `cassette drift`: loads its runs, reduces each to what the gate compares, and measures them. Keeps plain data for
// other threads.

import {
  callsOf,
  createCassetteStore,
  createTurnPricer,
  readPrices,
  type Cassette,
  type RuleSet,
  type Tolerances,
  type TurnPricer,
  checkRules,
  DEFAULT_MAX_FILE_BYTES,
  type RuleBreak,
} from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import {
  failureOf,
  measureScenario,
  outcomeOf,
  scoresOf,
  spendingOf,
  successOf,
  trajectoryOf,
  type TracedRun,
  type GateSettings,
  type MeasuredScenario,
  type RuleFinding,
  type RunFile,
  turnLines,
} from "../../harness/index.js";
import type { Failure } from "../errors.js";
import { loadRecording } from "../options/recordings.js";
import { openRules, openTolerances, type FileFlag } from "../options/tolerances.js";
import type { Unfit } from "./commands.js";

/** The runs of a scenario. One of the candidate alone has no runs in `base`, and is checked, but not measured. */
export interface LoadJob {
  scenario: string;
  base: readonly RunFile[];
  candidate: readonly RunFile[];
}

/** The settings that decide which parts of a recording are compared. */
export interface LoadSettings {
  cwd: string;
  ignore: readonly string[];
  readOnly: readonly string[];
  order: GateSettings["order"];
  content: boolean;
  success: string | undefined;
  seed: number;
  tolerances: FileFlag;
  rules: FileFlag;
  prices: string | undefined;
}

export interface LoadResult {
  /** Absent for a scenario of one side, and if a run is refused. */
  scenario?: MeasuredScenario;
  failures: Failure[];
  broken: RuleFinding[];
  unfit: Unfit;
}

/** The files that the settings name, read once. */
export interface LoadTerms {
  tolerances: Tolerances | undefined;
  rules: RuleSet | undefined;
  price: TurnPricer;
}

export async function createLoader(files: FilePort, settings: LoadSettings) {
  const tolerances = (await openTolerances(files, settings.tolerances))?.value;
  const rules = (await openRules(files, settings.rules))?.value;
  const price = createTurnPricer(settings.prices === undefined ? {} : await readPrices(files, settings.prices));
  return loaderWith(files, settings, { tolerances, rules, price });
}

/**
 * Loads one run at a time, and goes on after a refused one. A refused run of a scenario that only the candidate has is a failure only
 * if there are rules, which it must keep.
 */
export function loaderWith(files: FilePort, settings: LoadSettings, terms: LoadTerms) {
  const store = createCassetteStore(files);

  async function load(runs: readonly RunFile[], side: RuleFinding["side"], isNeeded: boolean, result: LoadResult) {
    const loaded: TracedRun[] = [];
    for (const { file } of runs) {
      const recording = await loadRecording(store, file);
      if (recording.kind === "failed") {
        if (isNeeded) result.failures.push(recording.failure);
        result.unfit.refused++;
        continue;
      }
      const { cassette } = recording;
      if (side === "candidate") countUnfit(result.unfit, cassette, settings.success);
      loaded.push(reduce(file, cassette, settings, terms));
      if (terms.rules === undefined) continue;
      result.broken.push(...(await findBroken(files, { file, cassette, side }, terms.rules)));
    }
    return loaded;
  }

  return async ({ scenario, base, candidate }: LoadJob): Promise<LoadResult> => {
    const result: LoadResult = { failures: [], broken: [], unfit: noneUnfit() };
    const isShared = base.length > 0;
    const old = await load(base, "base", true, result);
    const now = await load(candidate, "candidate", isShared || terms.rules !== undefined, result);
    if (!isShared || result.failures.length > 0) return result;
    return { ...result, scenario: measureScenario({ scenario, base: old, candidate: now }, settings.seed) };
  };
}

export function noneUnfit(): Unfit {
  return { failed: 0, brokenOff: 0, unproven: 0, refused: 0 };
}

function countUnfit(unfit: Unfit, cassette: Cassette, success: string | undefined): void {
  const outcome = outcomeOf(cassette, success);
  if (cassette.version === 1) unfit.unproven++;
  else if (outcome === "failed") unfit.failed++;
  else if (outcome === "broken-off" || (outcome === "unrecorded" && success !== undefined)) unfit.brokenOff++;
}

function reduce(file: string, cassette: Cassette, settings: LoadSettings, terms: LoadTerms): TracedRun {
  const { ignore, readOnly, order, content } = settings;
  const { tolerances, price } = terms;
  const success = successOf(cassette, settings.success);
  return {
    file,
    trajectory: trajectoryOf(cassette, { ignore, readOnly, order, content, ...defined({ tolerances }) }),
    turns: cassette.entries.length,
    calls: callsOf(cassette).length,
    ...defined({ success, failure: success === true ? undefined : failureOf(cassette) }),
    spending: spendingOf(cassette, price),
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
