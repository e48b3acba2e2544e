// How many runs on each side would decide, if what was seen so far went on: the counts are scaled up until Fisher's exact
// test on them falls to the level. A plan and no promise: rates seen in few runs are rough.

import { fisherTest, type Counts } from "./fisher.js";

/** Beyond so many runs the answer is "more". */
export const MAX_NEEDED = 200;

/** Two shares that differ, and whether only fewer successes of the candidate count. */
export interface Contrast {
  base: Counts;
  candidate: Counts;
  sides: 1 | 2;
}

/** The least number of runs on each side at which one of the contrasts would reach `level`; none up to MAX_NEEDED. */
export function runsNeeded(contrasts: readonly Contrast[], level: number): number | undefined {
  const differing = contrasts.filter(
    ({ base, candidate }) => base.successes * candidate.runs !== candidate.successes * base.runs,
  );
  const smallest = Math.max(2, ...contrasts.map(({ base, candidate }) => Math.min(base.runs, candidate.runs) + 1));
  for (let runs = smallest; runs <= MAX_NEEDED; runs++) {
    if (differing.some((contrast) => wouldDecide(contrast, runs, level))) return runs;
  }
  return undefined;
}

function wouldDecide({ base, candidate, sides }: Contrast, runs: number, level: number): boolean {
  const scale = (side: Counts): Counts => ({ runs, successes: Math.round((side.successes / side.runs) * runs) });
  return fisherTest(scale(base), scale(candidate), sides).p <= level;
}
