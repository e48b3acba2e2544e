// Divides the accepted rate of false alarms among all tests: evenly (Bonferroni) among the families that can decide, and by Holm among
// the scenarios of a family.

import type { Measured } from "./measure.js";
import type { PooledTests, RawTest } from "./pooled.js";
import type { GateSettings } from "./gate-report.js";
import { holmAdjust, selectTestable } from "./statistics/holm.js";

/** Tests of one kind: one for each scenario, or a single one over all of them. */
interface Family {
  p: readonly number[];
  /** The smallest p-value that each can give. 1 excludes a test. */
  attainable: readonly number[];
}

interface Judged {
  /** P-values to compare with the whole alpha. 1 if the test cannot decide. */
  adjusted: number[];
  canDecide: boolean[];
}

/** Judges each family. Whether a test can decide depends only on the total runs and successes, not on the sides. The bench uses it. */
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

export interface JudgedTests {
  outcome: Judged;
  distance: Judged;
  pooledOutcome: Judged;
  pooledDistance: Judged;
  /** Families whose share of alpha is `pooledDistance`'s. */
  shares: number;
  better: Judged;
  pooledBetter: Judged;
  metrics: Judged;
}

/** Tests of the metrics: those with a threshold can raise an alarm. */
export interface MetricTest {
  test: Pick<RawTest, "p" | "attainable"> | undefined;
  hasThreshold: boolean;
}

/**
 * Judges the families that can raise an alarm, the metrics with a threshold among them. The two that test for more success share
 * their own alpha, but the same one if there is a threshold: then any verdict but `same` and `inconclusive` is false at most at that
 * rate. Metrics without a threshold have their own. A scenario with too few runs is judged only by the pooled tests.
 */
export function judgeTests(
  measured: readonly Measured[],
  pooled: PooledTests | undefined,
  metrics: readonly MetricTest[],
  settings: GateSettings,
): JudgedTests {
  const isLarge = ({ base, candidate }: Measured): boolean =>
    Math.min(base.length, candidate.length) >= settings.minRuns;
  const single = (test: RawTest | undefined) =>
    test === undefined ? { p: [], attainable: [] } : { p: [test.p], attainable: [test.attainable] };
  const outcomes = (way: "test" | "better") => ({
    p: measured.map((figures) => figures.outcome?.[way].p ?? 1),
    attainable: measured.map((figures) => (isLarge(figures) ? (figures.outcome?.[way].attainable ?? 1) : 1)),
  });
  const metricsOf = (hasThreshold: boolean): Family => {
    const wanted = metrics.map((each) => (each.hasThreshold === hasThreshold ? each.test : undefined));
    return { p: wanted.map((test) => test?.p ?? 1), attainable: wanted.map((test) => test?.attainable ?? 1) };
  };
  const alarms = [
    outcomes("test"),
    {
      p: measured.map(({ distanceTest }) => distanceTest.p),
      attainable: measured.map((figures) => (isLarge(figures) ? figures.distanceTest.attainable : 1)),
    },
    single(pooled?.outcome?.test),
    single(pooled?.distance),
    metricsOf(true),
  ];
  const gains = [outcomes("better"), single(pooled?.outcome?.better)];
  const isStrict = metrics.some(({ hasThreshold }) => hasThreshold);
  const { families, shares } = judgeFamilies(isStrict ? [...alarms, ...gains] : alarms, settings.alpha);
  const [outcome, distance, pooledOutcome, pooledDistance, gated] = families as [
    Judged,
    Judged,
    Judged,
    Judged,
    Judged,
  ];
  const gained = isStrict ? families.slice(alarms.length) : judgeFamilies(gains, settings.alpha).families;
  const [better, pooledBetter] = gained as [Judged, Judged];
  const [free] = judgeFamilies([metricsOf(false)], settings.alpha).families as [Judged];
  const joined: Judged = {
    adjusted: metrics.map(({ hasThreshold }, index) => (hasThreshold ? gated : free).adjusted[index] ?? 1),
    canDecide: metrics.map(({ hasThreshold }, index) => (hasThreshold ? gated : free).canDecide[index] ?? false),
  };
  return { outcome, distance, pooledOutcome, pooledDistance, shares, better, pooledBetter, metrics: joined };
}

/** The level of one scenario's test if all scenarios had enough runs and every family took its share. */
export function planLevel(measured: readonly Measured[], { alpha, thresholds = [] }: GateSettings): number {
  const kinds = measured.some(({ outcome }) => outcome !== undefined && outcome.test.attainable < 1) ? 2 : 1;
  const levels = measured.length > 1 ? 2 : 1;
  // With a threshold, the metrics and the tests for more success share alpha, too.
  const more = thresholds.length === 0 ? 0 : 1 + (kinds - 1) * levels;
  return alpha / (levels * kinds + more) / Math.max(1, measured.length);
}
