// One scenario of `cassette drift`: loads its runs, reduces each to what the gate compares, and measures them. Keeps plain data for
// other threads.

import {
  callsOf,
  CassetteError,
  createCassetteStore,
  createTurnPricer,
  readPrices,
  type Cassette,
  type RuleSet,
  type Tolerances,
  isJudgeRecording,
  type TurnPricer,
  checkRules,
  DEFAULT_MAX_FILE_BYTES,
  type RuleBreak,
} from "../../cassette/index.js";
import { defined, type FilePort, type FileRead } from "../../core/index.js";
import {
  failureOf,
  measureScenario,
  outcomeOf,
  scoresOf,
  sharedScenario,
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
import { toFailure, type Failure } from "../errors.js";
import { loadRecording } from "../options/recordings.js";
import { openRules, openTolerances, type FileFlag } from "../options/tolerances.js";
import type { Unfit } from "./commands.js";

/** The runs of a scenario. One without runs on a side is not measured. Those of the candidate alone are checked. */
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
  alpha: number;
  /** The number of scenarios on both sides. */
  scenarios: number;
  tolerances: FileFlag;
  rules: FileFlag;
  prices: string | undefined;
}

export interface LoadResult {
  /** Absent for a scenario of one side or of judges, and if a run is refused. */
  scenario?: MeasuredScenario;
  /** The recordings of a scenario that are all those of judges, which take no part in the run that they grade. */
  judges: number;
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

  async function load(
    { scenario, ...job }: LoadJob,
    side: RuleFinding["side"],
    isNeeded: boolean,
    result: LoadResult,
  ): Promise<TracedRun[]> {
    const loaded: TracedRun[] = [];
    for (const { file } of job[side]) {
      const recording = await loadRecording(store, file);
      if (recording.kind === "failed") {
        if (isNeeded) result.failures.push(recording.failure);
        result.unfit.refused++;
        continue;
      }
      const { cassette } = recording;
      if (isJudgeRecording(cassette)) result.judges++;
      if (side === "candidate") countUnfit(result.unfit, cassette, settings.success);
      loaded.push(reduce({ file, scenario }, cassette, settings, terms));
      if (terms.rules === undefined) continue;
      result.broken.push(...(await findBroken(files, { file, cassette, side }, terms.rules)));
    }
    return loaded;
  }

  /** Of a scenario that only the baseline has, nothing else counts. */
  async function isJudge(run: RunFile | undefined): Promise<boolean> {
    const recording = run === undefined ? undefined : await loadRecording(store, run.file);
    return recording?.kind === "loaded" && isJudgeRecording(recording.cassette);
  }

  async function measure(job: LoadJob): Promise<LoadResult> {
    const result = noResult();
    if (job.candidate.length === 0) return { ...result, judges: (await isJudge(job.base[0])) ? job.base.length : 0 };
    const isShared = job.base.length > 0;
    const base = await load(job, "base", true, result);
    const candidate = await load(job, "candidate", isShared || terms.rules !== undefined, result);
    const { judges, failures } = result;
    if (judges > 0 && judges === base.length + candidate.length) return { ...noResult(), judges, failures };
    result.judges = 0;
    if (!isShared || result.failures.length > 0) return result;
    return { ...result, scenario: measureScenario({ scenario: job.scenario, base, candidate }, settings) };
  }

  return async (job: LoadJob): Promise<LoadResult> => {
    try {
      return await measure(job);
    } catch (error) {
      // Such as two runs that are too long to be compared.
      if (!(error instanceof CassetteError)) throw error;
      const failure = toFailure(error);
      return { ...noResult(), failures: [{ ...failure, message: `${job.scenario}: ${failure.message}` }] };
    }
  };
}

export function noResult(): LoadResult {
  return { failures: [], broken: [], unfit: noneUnfit(), judges: 0 };
}

function noneUnfit(): Unfit {
  return { failed: 0, brokenOff: 0, unproven: 0, refused: 0 };
}

function countUnfit(unfit: Unfit, cassette: Cassette, success: string | undefined): void {
  const outcome = outcomeOf(cassette, success);
  if (cassette.version === 1) unfit.unproven++;
  else if (outcome === "failed") unfit.failed++;
  else if (outcome === "broken-off" || (outcome === "unrecorded" && success !== undefined)) unfit.brokenOff++;
}

function reduce(
  { file, scenario }: { file: string; scenario: string },
  cassette: Cassette,
  settings: LoadSettings,
  terms: LoadTerms,
): TracedRun {
  const { ignore, readOnly, order, content } = settings;
  const { tolerances, price } = terms;
  const success = successOf(cassette, settings.success);
  return {
    file,
    trajectory: trajectoryOf(cassette, { ignore, readOnly, order, content, ...defined({ tolerances }) }),
    turns: cassette.entries.length,
    calls: callsOf(cassette).length,
    ...defined({
      success,
      failure: success === true ? undefined : failureOf(cassette),
      sharedWith: sharedScenario(cassette, scenario),
    }),
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
  const lines = linesIn(await files.read(file, DEFAULT_MAX_FILE_BYTES));
  return [...broken.values()].map(({ first: { rule, turn, sentence }, more }): RuleFinding => {
    const line = lines[turn];
    const location = { file, turn, ...defined({ line }) };
    return { rule, side, location, sentence: more === 0 ? sentence : `${sentence} And ${more} more of this rule.` };
  });
}

/** The line on which each turn begins. */
export function linesIn(read: FileRead): number[] {
  return read.kind === "read" ? turnLines(new TextDecoder().decode(read.bytes)) : [];
}
