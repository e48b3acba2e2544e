// Estimates the number of runs that would decide: scales up the counts so far until Fisher's exact test reaches the level. It is
// only a plan, because the rates of few runs are rough.

import { MAX_NEEDED_RUNS } from "../../limits.js";
import { fisherTest, type Counts } from "./fisher.js";

/** Two shares to compare. One-sided: only fewer successes of the candidate count. */
export interface Contrast {
  base: Counts;
  candidate: Counts;
  sides: 1 | 2;
}

/** The least number of runs on each side at which a contrast would reach `level`. Undefined above MAX_NEEDED_RUNS. */
export function runsNeeded(contrasts: readonly Contrast[], level: number): number | undefined {
  const differing = contrasts.filter(
    ({ base, candidate }) => base.successes * candidate.runs !== candidate.successes * base.runs,
  );
  const smallest = Math.max(2, ...contrasts.map(({ base, candidate }) => Math.min(base.runs, candidate.runs) + 1));
  for (let runs = smallest; runs <= MAX_NEEDED_RUNS; runs++) {
    if (differing.some((contrast) => wouldDecide(contrast, runs, level))) return runs;
  }
  return undefined;
}

function wouldDecide({ base, candidate, sides }: Contrast, runs: number, level: number): boolean {
  const scale = (side: Counts): Counts => ({ runs, successes: Math.round((side.successes / side.runs) * runs) });
  return fisherTest(scale(base), scale(candidate), sides).p <= level;
}
