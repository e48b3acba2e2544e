// Tests whether two groups of runs take paths from the same distribution: a permutation test on the energy statistic of
// G. J. Székely and M. L. Rizzo, "Testing for equal distributions in high dimension" (InterStat 5, 2004), within each
// scenario, summed over scenarios by relabeling.ts.

import type { Random } from "./random.js";
import {
  combinations,
  relabelingTest,
  TIE,
  type PermutationResult,
  type Relabeled,
  type Source,
} from "./relabeling.js";

/** The runs of one scenario: first those of the baseline, then those of the candidate. */
export interface DistanceTable {
  base: number;
  runs: number;
  /** `runs` rows of `runs` distances, from the row's run to the column's. The two directions may differ. */
  distances: Float64Array;
}

/**
 * Two-sided in effect, because any difference between the sides makes the statistic larger. If distances depend on the direction,
 * only those from the baseline to the candidate count between the sides. Relabeling makes the test valid for any statistic.
 */
export function permutationTest(tables: readonly DistanceTable[], random: Random): PermutationResult {
  return relabelingTest(tables.filter(canVary).map(toRelabeled), random);
}

function toRelabeled(table: DistanceTable): Relabeled {
  const { base, runs } = table;
  return {
    base,
    runs,
    statisticOf: (isBase) => energyStatistic(table, isBase, base),
    shuffling: () => shuffling(table),
  };
}

/** Energy statistic of one labelling: twice the mean distance between the sides, minus the means within (with zeros). */
export function energyStatistic({ runs, distances }: DistanceTable, isBase: Uint8Array, base: number): number {
  let [between, withinBase, withinCandidate] = [0, 0, 0];
  for (let i = 0; i < runs; i++) {
    const mine = isBase[i];
    for (let j = i + 1; j < runs; j++) {
      const [there, back] = [distances[i * runs + j] as number, distances[j * runs + i] as number];
      if (mine !== isBase[j]) between += mine === 1 ? there : back;
      else if (mine === 1) withinBase += (there + back) / 2;
      else withinCandidate += (there + back) / 2;
    }
  }
  const other = runs - base;
  return 2 * (between / (base * other) - withinBase / (base * base) - withinCandidate / (other * other));
}

/** False if every relabeling gives the same statistic: one run on each side, or equal distances. */
function canVary({ base, runs, distances }: DistanceTable): boolean {
  if (base === 0 || base === runs || runs <= 2) return false;
  const first = distances[1] as number;
  return distances.some((distance, place) => place % (runs + 1) !== 0 && Math.abs(distance - first) > TIE);
}

/** True if every distance is the same both ways, so that swapping the sides changes nothing. */
function isTwoWay(runs: number, distances: Float64Array): boolean {
  return distances.every((distance, place) => distance === distances[(place % runs) * runs + Math.floor(place / runs)]);
}

/** Draws by shuffling the runs. Runs at distance 0 form one kind, and only kinds are counted and summed. */
function shuffling({ base, runs, distances }: DistanceTable): Source {
  const kinds: number[] = [];
  const kindOf = Int32Array.from({ length: runs }, (_, run) => {
    const known = kinds.findIndex(
      (first) => distances[first * runs + run] === 0 && distances[run * runs + first] === 0,
    );
    return known >= 0 ? known : kinds.push(run) - 1;
  });
  const counts = new Int32Array(kinds.length);
  const statistic = statisticOfCounts(counts, countKinds(kindOf, runs, kinds.length), base, (i, j) => {
    return distances[(kinds[i] as number) * runs + (kinds[j] as number)] as number;
  });
  counts.set(countKinds(kindOf, base, kinds.length));
  const observed = statistic();
  const order = kindOf.slice();
  const draw = (random: Random): number => {
    counts.fill(0);
    for (let index = 0; index < base; index++) {
      const swapped = index + random.below(runs - index);
      const kind = order[swapped] as number;
      order[swapped] = order[index] as number;
      order[index] = kind;
      counts[kind] = (counts[kind] as number) + 1;
    }
    return statistic();
  };
  const isMirrored = base === runs - base && isTwoWay(runs, distances);
  const largest = (isMirrored ? 2 : 1) / combinations(runs, base);
  return { observed, draw, largest, work: runs + kinds.length ** 2 };
}

/**
 * The energy statistic with `counts` of each kind in the baseline, out of `all`. It is a quadratic form in the counts, so only the sum of
 * the distances within the baseline needs all pairs. It runs once for each draw, so it makes no objects.
 */
function statisticOfCounts(
  counts: Int32Array,
  all: Int32Array,
  base: number,
  distance: (from: number, to: number) => number,
): () => number {
  const kinds = all.length;
  const other = all.reduce((sum, count) => sum + count, 0) - base;
  const [ofBetween, ofBase, ofCandidate] = [2 / (base * other), 1 / (base * base), 1 / (other * other)];
  const both = new Float64Array(kinds * kinds);
  const linear = new Float64Array(kinds);
  let constant = 0;
  for (let i = 0; i < kinds; i++) {
    let [toAll, fromAll] = [0, 0];
    for (let j = 0; j < kinds; j++) {
      const [there, back] = [distance(i, j), distance(j, i)];
      both[i * kinds + j] = there + back;
      toAll += (all[j] as number) * there;
      fromAll += (all[j] as number) * back;
    }
    linear[i] = ofBetween * toAll + ofCandidate * (toAll + fromAll);
    constant -= ofCandidate * (all[i] as number) * toAll;
  }
  const ofWithin = -(ofBetween + ofBase + ofCandidate);
  return () => {
    let [within, rest] = [0, constant];
    for (let i = 0; i < kinds; i++) {
      const mine = counts[i] as number;
      let toOthers = 0;
      for (let j = 0; j < i; j++) toOthers += (counts[j] as number) * (both[i * kinds + j] as number);
      within += mine * toOthers;
      rest += mine * (linear[i] as number);
    }
    return rest + ofWithin * within;
  };
}

function countKinds(kindOf: Int32Array, first: number, kinds: number): Int32Array {
  const counts = new Int32Array(kinds);
  for (let run = 0; run < first; run++) {
    const kind = kindOf[run] as number;
    counts[kind] = (counts[kind] as number) + 1;
  }
  return counts;
}
