// How the accepted rate of false alarms is shared out, so that all tests together keep it: evenly (Bonferroni) over the
// families of tests that can decide at all, and by Holm over the scenarios within a family.

import { holmAdjust, selectTestable } from "./statistics/holm.js";

/** Tests of one kind: one for each scenario, or a single one over all of them. */
export interface Family {
  p: readonly number[];
  /** The smallest p-value each can give. 1 takes a test out. */
  attainable: readonly number[];
}

export interface Judged {
  /** Comparable with the whole alpha; 1 where the test cannot decide. */
  adjusted: number[];
  canDecide: boolean[];
}

/** Judges each family. Whether a test can decide depends on numbers of runs and of successes alone, not on the sides. */
export function judgeFamilies(families: readonly Family[], alpha: number): Judged[] {
  const live = families.filter(({ attainable }) => selectTestable(attainable, alpha).includes(true)).length;
  const shares = Math.max(1, live);
  return families.map(({ p, attainable }) => {
    const canDecide = selectTestable(attainable, alpha / shares);
    const holm = holmAdjust(p.filter((_, index) => canDecide[index]));
    let next = 0;
    const adjusted = p.map((_, index) =>
      canDecide[index] === true ? Math.min(1, (holm[next++] as number) * shares) : 1,
    );
    return { adjusted, canDecide };
  });
}
