// The tests over all scenarios together: for less success, for more success, and for other paths.

import { isOneWay } from "../../cassette/index.js";
import type { Measured } from "./measure.js";
import type { GateSettings, TestResult } from "./gate-report.js";
import { permutationTest, type DistanceTable } from "./statistics/permutation.js";
import type { PermutationResult } from "./statistics/relabeling.js";
import type { PooledResults } from "./metrics/compare.js";
import { createRandom } from "./statistics/random.js";
import { isPaired, stratifiedTest, type Stratum } from "./statistics/stratified.js";

/** A test before the correction for all tests. */
export type RawTest = Omit<TestResult, "adjusted">;

export interface PooledTests {
  outcome?: { test: RawTest; better: RawTest };
  distance: RawTest;
}

/** `done` has the tests that were done already. */
export function poolTests(
  measured: readonly Measured[],
  { seed, order }: GateSettings,
  done?: PooledResults,
): PooledTests {
  const strata = strataOf(measured);
  const kind = { test: isPaired(strata) ? "mcnemar" : "stratified-permutation", sides: 1, exact: true } as const;
  const swapped = strata.map(({ base, candidate }) => ({ base: candidate, candidate: base }));
  return {
    ...(strata.length === 0
      ? {}
      : { outcome: { test: { ...kind, ...stratifiedTest(strata) }, better: { ...kind, ...stratifiedTest(swapped) } } }),
    distance: poolDistances(measured, seed, order, done?.get("paths")),
  };
}

export function poolDistances(
  measured: readonly Measured[],
  seed: number,
  order: GateSettings["order"],
  done?: PermutationResult,
): RawTest {
  const result =
    done ??
    pathTest(
      measured.map(({ distances }) => distances),
      seed,
    );
  return { test: "stratified-permutation", sides: sidesOf(order), ...result };
}

export function pathTest(tables: readonly DistanceTable[], seed: number): PermutationResult {
  return permutationTest(tables, createRandom(seed, ""));
}

/** The test is one-sided for a one-way order, because only the candidate can depart from the baseline. */
export function sidesOf(order: GateSettings["order"]): 1 | 2 {
  return isOneWay(order) ? 1 : 2;
}

/** The outcomes of each test once, also if it has several cassettes. */
export function strataOf(measured: readonly Measured[]): Stratum[] {
  const tests = new Map<string, Stratum>();
  for (const { scenario, sharedWith = scenario, outcome } of measured) {
    if (outcome !== undefined && (sharedWith === scenario || !tests.has(sharedWith)))
      tests.set(sharedWith, outcome.stratum);
  }
  return [...tests.values()];
}
