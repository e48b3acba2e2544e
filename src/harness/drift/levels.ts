// How the accepted rate of false alarms is shared out, so that all tests together keep it: evenly (Bonferroni) over the
// families of tests that can decide at all, and by Holm over the scenarios within a family.

import type { Measured } from "./measure.js";
import type { PooledTests, RawTest } from "./pooled.js";
import type { GateSettings } from "./gate-report.js";
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
export function judgeFamilies(families: readonly Family[], alpha: number): { families: Judged[]; shares: number } {
  const live = families.filter(({ attainable }) => selectTestable(attainable, alpha).includes(true)).length;
  const shares = Math.max(1, live);
  const judged = families.map(({ p, attainable }) => {
    const canDecide = selectTestable(attainable, alpha / shares);
    const holm = holmAdjust(p.filter((_, index) => canDecide[index]));
    let next = 0;
    const adjusted = p.map((_, index) =>
      canDecide[index] === true ? Math.min(1, (holm[next++] as number) * shares) : 1,
    );
    return { adjusted, canDecide };
  });
  return { families: judged, shares };
}

/** Every test of a report after the correction. */
export interface JudgedTests {
  outcome: Judged;
  distance: Judged;
  pooledOutcome: Judged;
  pooledDistance: Judged;
  /** Families whose share of alpha is `pooledDistance`'s. */
  shares: number;
  better: Judged;
  pooledBetter: Judged;
}

/**
 * The four families of tests that can raise an alarm, and the two that ask for success gained, which share an alpha of their
 * own. A scenario with fewer runs than asked for is judged by the pooled tests alone.
 */
export function judgeTests(
  measured: readonly Measured[],
  pooled: PooledTests | undefined,
  settings: GateSettings,
): JudgedTests {
  const isLarge = ({ base, candidate }: Measured): boolean =>
    Math.min(base.length, candidate.length) >= settings.minRuns;
  const single = (test: RawTest | undefined) => ({
    p: test === undefined ? [] : [test.p],
    attainable: test === undefined ? [] : [test.attainable],
  });
  const outcomes = (way: "test" | "better") => ({
    p: measured.map((figures) => figures.outcome?.[way].p ?? 1),
    attainable: measured.map((figures) => (isLarge(figures) ? (figures.outcome?.[way].attainable ?? 1) : 1)),
  });
  const { families, shares } = judgeFamilies(
    [
      outcomes("test"),
      {
        p: measured.map(({ distanceTest }) => distanceTest.p),
        attainable: measured.map((figures) => (isLarge(figures) ? figures.distanceTest.attainable : 1)),
      },
      single(pooled?.outcome?.test),
      single(pooled?.distance),
    ],
    settings.alpha,
  );
  const [outcome, distance, pooledOutcome, pooledDistance] = families as [Judged, Judged, Judged, Judged];
  const gained = judgeFamilies([outcomes("better"), single(pooled?.outcome?.better)], settings.alpha);
  const [better, pooledBetter] = gained.families as [Judged, Judged];
  return { outcome, distance, pooledOutcome, pooledDistance, shares, better, pooledBetter };
}

/** The level of one scenario's test if all of them had runs enough, so that all families took their share. */
export function planLevel(measured: readonly Measured[], alpha: number): number {
  const kinds = measured.some(({ outcome }) => outcome !== undefined && outcome.test.attainable < 1) ? 2 : 1;
  return alpha / (measured.length > 1 ? 2 * kinds : kinds) / Math.max(1, measured.length);
}
