// A test by relabeling: within each scenario, the runs are assigned to the two sides in other ways, and the statistics of the scenarios
// are summed. Counts all relabelings if they are few, or seeded draws with p = (b + 1) / (m + 1) (B. Phipson and G. K. Smyth,
// "Permutation p-values should never be zero", SAGMB 9, 2010).

import {
  MAX_DRAWING_WORK,
  MAX_EXHAUSTIVE_RELABELINGS,
  MAX_JOINED_RELABELINGS,
  MAX_KEPT_RELABELINGS,
} from "../../limits.js";
import { clampP } from "./fisher.js";
import type { Random } from "./random.js";

/** The runs of one scenario, those of the baseline first, and the statistic of any way to label them. */
export interface Relabeled {
  base: number;
  runs: number;
  /** The statistic with the marked runs as the baseline. */
  statisticOf(isBase: Uint8Array): number;
  /** Draws by shuffling the runs, for a scenario with many relabelings. */
  shuffling(): Source;
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
/**
 * If so many draws share the largest statistic, their share is the least possible p-value. If fewer do, the draws may have missed a larger
 * statistic.
 */
const LEAST_TIES = 20;
/** Statistics this close count as equal, apart from rounding. */
export const TIE = 1e-10;

/** One-sided: the share of relabelings whose summed statistic is at least the observed one. Leave out scenarios that cannot vary. */
export function relabelingTest(varied: readonly Relabeled[], random: Random): PermutationResult {
  const relabelings = varied.reduce((product, { runs, base }) => product * combinations(runs, base), 1);
  if (relabelings <= MAX_EXHAUSTIVE_RELABELINGS) return exhaustive(varied.map(allStatistics));
  return drawn(varied, random);
}

/** The statistic of every relabeling. The first is the observed one. */
function allStatistics(scenario: Relabeled): Float64Array {
  const { base, runs } = scenario;
  const chosen = Array.from({ length: base }, (_, index) => index);
  const statistics = new Float64Array(combinations(runs, base));
  for (let index = 0; index < statistics.length; index++) {
    const isBase = new Uint8Array(runs);
    for (const run of chosen) isBase[run] = 1;
    statistics[index] = scenario.statisticOf(isBase);
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

/** A source of statistics: the observed one, random draws, and a lower bound of the chance of drawing the largest. */
export interface Source {
  observed: number;
  draw: (random: Random) => number;
  largest: number;
  work: number;
}

function drawn(scenarios: readonly Relabeled[], random: Random): PermutationResult {
  const isFew = ({ runs, base }: Relabeled): boolean => combinations(runs, base) <= MAX_KEPT_RELABELINGS;
  const few = scenarios.filter(isFew);
  const sources = [
    ...(few.length === 0 ? [] : [keeping(few)]),
    ...scenarios.filter((each) => !isFew(each)).map((each) => each.shuffling()),
  ];
  const work = sources.reduce((sum, source) => sum + source.work, 0);
  const draws = Math.max(LEAST_DRAWS, Math.min(DRAWS, Math.floor(MAX_DRAWING_WORK / work)));
  const observed = sources.reduce((sum, source) => sum + source.observed, 0);
  // The observed statistic counts as a draw.
  let [reached, most, ties] = [1, observed, 1];
  for (let draw = 0; draw < draws; draw++) {
    let statistic = 0;
    for (const source of sources) statistic += source.draw(random);
    if (statistic >= observed - TIE) reached++;
    if (statistic > most + TIE) [most, ties] = [statistic, 1];
    else if (statistic >= most - TIE) ties++;
  }
  const largest = sources.reduce((product, source) => product * source.largest, 1);
  const seen = ties < LEAST_TIES ? 1 : ties;
  return {
    p: reached / (draws + 1),
    attainable: clampP(Math.max(seen / (draws + 1), largest)),
    exact: false,
    draws,
  };
}

/** Combines scenarios with few relabelings into one source, so that one draw serves several scenarios. */
function keeping(scenarios: readonly Relabeled[]): Source {
  const lists: Float64Array[] = [];
  for (const scenario of scenarios) {
    const own = allStatistics(scenario);
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

/** n over k as a float. The lost digits of a large value do not matter. */
export function combinations(n: number, k: number): number {
  let result = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) result = (result * (n - Math.min(k, n - k) + i)) / i;
  return Math.round(result);
}
