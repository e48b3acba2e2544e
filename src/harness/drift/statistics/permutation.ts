// Tests whether two groups of runs take paths from the same distribution: a permutation test on the energy statistic of
// G. J. Székely and M. L. Rizzo, "Testing for equal distributions in high dimension" (InterStat 5, 2004), within each
// scenario, summed over scenarios. Counts all relabelings if they are few, or seeded draws with p = (b + 1) / (m + 1)
// (B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", SAGMB 9, 2010).

import {
  MAX_DRAWING_WORK,
  MAX_EXHAUSTIVE_RELABELINGS,
  MAX_JOINED_RELABELINGS,
  MAX_KEPT_RELABELINGS,
} from "../../limits.js";
import { clampP } from "./fisher.js";
import type { Random } from "./random.js";

/** The runs of one scenario: first those of the baseline, then those of the candidate. */
export interface DistanceTable {
  base: number;
  runs: number;
  /** `runs` rows of `runs` distances, from the row's run to the column's. The two directions may differ. */
  distances: Float64Array;
}

export interface PermutationResult {
  p: number;
  attainable: number;
  exact: boolean;
  draws?: number;
}

/** Random relabelings; fewer, down to the second number, if that would take minutes. */
const DRAWS = 9_999;
const LEAST_DRAWS = 999;
/** Statistics this close count as equal, apart from rounding. */
const TIE = 1e-10;

/**
 * Two-sided in effect, because any difference between the sides makes the statistic larger. If distances depend on the direction,
 * only those from the baseline to the candidate count between the sides. Relabeling makes the test valid for any statistic.
 */
export function permutationTest(tables: readonly DistanceTable[], random: Random): PermutationResult {
  const varied = tables.filter(canVary);
  const relabelings = varied.reduce((product, { runs, base }) => product * combinations(runs, base), 1);
  if (relabelings <= MAX_EXHAUSTIVE_RELABELINGS) return exhaustive(varied.map(allStatistics));
  return drawn(varied, random);
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

/** The statistic of every relabeling. The first is the observed one. */
function allStatistics(table: DistanceTable): Float64Array {
  const { base, runs } = table;
  const chosen = Array.from({ length: base }, (_, index) => index);
  const statistics = new Float64Array(combinations(runs, base));
  for (let index = 0; index < statistics.length; index++) {
    const isBase = new Uint8Array(runs);
    for (const run of chosen) isBase[run] = 1;
    statistics[index] = energyStatistic(table, isBase, base);
    advance(chosen, runs);
  }
  return statistics;
}

function advance(chosen: number[], runs: number): void {
  let place = chosen.length - 1;
  while (place >= 0 && chosen[place] === runs - chosen.length + place) place--;
  if (place < 0) return;
  let value = chosen[place] as number;
  for (; place < chosen.length; place++) chosen[place] = ++value;
}

function exhaustive(lists: readonly Float64Array[]): PermutationResult {
  const sums = lists.reduce(sumsOf, Float64Array.of(0));
  const most = sums.reduce((best, sum) => Math.max(best, sum), -Infinity);
  const share = (limit: number): number => sums.filter((sum) => sum >= limit - TIE).length / sums.length;
  return { p: clampP(share(sums[0] as number)), attainable: clampP(share(most)), exact: true };
}

/** A source of statistics: the observed one, random draws, and the chance of drawing the largest. */
interface Source {
  observed: number;
  draw: (random: Random) => number;
  largest: number;
  work: number;
}

function drawn(tables: readonly DistanceTable[], random: Random): PermutationResult {
  const isFew = ({ runs, base }: DistanceTable): boolean => combinations(runs, base) <= MAX_KEPT_RELABELINGS;
  const few = tables.filter(isFew);
  const sources = [
    ...(few.length === 0 ? [] : [keeping(few)]),
    ...tables.filter((table) => !isFew(table)).map(shuffling),
  ];
  const work = sources.reduce((sum, source) => sum + source.work, 0);
  const draws = Math.max(LEAST_DRAWS, Math.min(DRAWS, Math.floor(MAX_DRAWING_WORK / work)));
  const limit = sources.reduce((sum, { observed }) => sum + observed, 0) - TIE;
  let reached = 0;
  for (let draw = 0; draw < draws; draw++) {
    let statistic = 0;
    for (const source of sources) statistic += source.draw(random);
    if (statistic >= limit) reached++;
  }
  const largest = sources.reduce((product, source) => product * source.largest, 1);
  return {
    p: (reached + 1) / (draws + 1),
    attainable: clampP(Math.max(1 / (draws + 1), largest)),
    exact: false,
    draws,
  };
}

/** Combines scenarios with few relabelings into one source, so that one draw serves several scenarios. */
function keeping(tables: readonly DistanceTable[]): Source {
  const lists: Float64Array[] = [];
  for (const table of tables) {
    const own = allStatistics(table);
    const last = lists.at(-1);
    if (last !== undefined && last.length * own.length <= MAX_JOINED_RELABELINGS)
      lists[lists.length - 1] = sumsOf(last, own);
    else lists.push(own);
  }
  const draw = (random: Random): number => {
    let sum = 0;
    for (const list of lists) sum += list[random.below(list.length)] as number;
    return sum;
  };
  const largest = lists.reduce((product, list) => {
    const most = list.reduce((best, value) => Math.max(best, value), -Infinity);
    return (product * list.filter((value) => value >= most - TIE).length) / list.length;
  }, 1);
  const observed = lists.reduce((sum, list) => sum + (list[0] as number), 0);
  return { observed, draw, largest, work: lists.length };
}

/** The sums of all pairs of values. The first is the sum of both first values. */
function sumsOf(one: Float64Array, other: Float64Array): Float64Array {
  const sums = new Float64Array(one.length * other.length);
  one.forEach((sum, i) => other.forEach((value, j) => (sums[i * other.length + j] = sum + value)));
  return sums;
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
  const apart = Float64Array.from(kinds.flatMap((i) => kinds.map((j) => distances[i * runs + j] as number)));
  const all = countKinds(kindOf, runs, kinds.length);
  const other = runs - base;
  const statisticOf = (order: Int32Array): number => {
    const counts = countKinds(order, base, kinds.length);
    let [between, withinBase, withinCandidate] = [0, 0, 0];
    for (let i = 0; i < kinds.length; i++) {
      const [mine, theirs] = [counts[i] as number, (all[i] as number) - (counts[i] as number)];
      for (let j = 0; j < kinds.length; j++) {
        const distance = apart[i * kinds.length + j] as number;
        const [mineToo, theirsToo] = [counts[j] as number, (all[j] as number) - (counts[j] as number)];
        between += mine * theirsToo * distance;
        withinBase += mine * mineToo * distance;
        withinCandidate += theirs * theirsToo * distance;
      }
    }
    return (2 * between) / (base * other) - withinBase / (base * base) - withinCandidate / (other * other);
  };
  const observed = statisticOf(kindOf);
  const order = kindOf.slice();
  const draw = (random: Random): number => {
    for (let index = 0; index < base; index++) {
      const swapped = index + random.below(runs - index);
      const kept = order[index] as number;
      order[index] = order[swapped] as number;
      order[swapped] = kept;
    }
    return statisticOf(order);
  };
  const isMirrored = base === other && isTwoWay(runs, distances);
  const largest = (isMirrored ? 2 : 1) / combinations(runs, base);
  return { observed, draw, largest, work: runs + kinds.length ** 2 };
}

function countKinds(kindOf: Int32Array, first: number, kinds: number): Int32Array {
  const counts = new Int32Array(kinds);
  for (let run = 0; run < first; run++) {
    const kind = kindOf[run] as number;
    counts[kind] = (counts[kind] as number) + 1;
  }
  return counts;
}

/** n over k as a float. The lost digits of a large value do not matter. */
export function combinations(n: number, k: number): number {
  let result = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) result = (result * (n - Math.min(k, n - k) + i)) / i;
  return Math.round(result);
}
