// Whether a command is slower than its reference, from pairs of runs that alternated. Every run replays the same conversation, so the
// same pause of both is the same work at almost the same moment. For each pause, differences beyond three median absolute deviations from
// the median of all pairs are cut to that limit: the system interrupted one of the two. The result is the estimate of J. L. Hodges and
// E. L. Lehmann over the means of the pairs. Its noise is the distance to the farther end of the interval that belongs to F. Wilcoxon's
// signed-rank test (Annals of Mathematical Statistics 34, 1963). Neither assumes a distribution, but only that two runs of the same code
// differ by as much in either direction.

import { median, quantile } from "./figure.js";

/** The pauses between the turns of one run, in their order. */
export type Pauses = readonly number[];

export interface PairedRuns {
  readonly reference: Pauses;
  readonly candidate: Pauses;
}

/** By how much the candidate's pauses are longer on average. Negative if they are shorter. */
export interface Shift {
  difference: number;
  noise: number;
}

/** Slower or faster by more than the noise and the threshold together, or the same. */
export type BenchVerdict = "same" | "slower" | "faster";

/** With this value, one in a hundred comparisons of a program with itself shows a slowdown beyond the noise. */
const Z = 2.326;
const FENCE = 3;

/** Needs at least one pair. Pauses that are missing in any run are left out. */
export function shiftOf(pairs: readonly PairedRuns[]): Shift {
  const averages = walshAverages(cutMeans(pairs.map(differencesOf)));
  const difference = quantile(averages, 0.5);
  const cut = outsideOf(pairs.length);
  const [low, high] = [averages[cut] as number, averages[averages.length - 1 - cut] as number];
  return { difference, noise: Math.max(difference - low, high - difference) };
}

export function verdictOf({ difference, noise }: Shift, threshold: number): BenchVerdict {
  if (Math.abs(difference) <= noise + threshold) return "same";
  return difference > 0 ? "slower" : "faster";
}

/** The typical pause at each place of the conversation. */
export function typicalPauses(runs: readonly Pauses[]): number[] {
  return Array.from({ length: Math.min(...runs.map(({ length }) => length)) }, (_, at) =>
    median(runs.map((run) => run[at] as number)),
  );
}

function differencesOf({ reference, candidate }: PairedRuns): number[] {
  const count = Math.min(reference.length, candidate.length);
  return candidate.slice(0, count).map((pause, at) => pause - (reference[at] as number));
}

/**
 * The mean difference of each pair. Differences far from those of the other pairs at the same pause are cut, and a pause counts less the
 * more its differences vary: the first ones of a process compile its code.
 */
function cutMeans(pairs: readonly (readonly number[])[]): number[] {
  const middles = typicalPauses(pairs);
  const spreads = middles.map((middle, at) => median(pairs.map((pair) => Math.abs((pair[at] as number) - middle))));
  const usual = median(spreads);
  const weights = spreads.map((spread) => (usual === 0 ? 1 : usual / (usual + spread)));
  const whole = mean(weights);
  return pairs.map((pair) => {
    const parts = middles.map((middle, at) => {
      const reach = FENCE * (spreads[at] as number);
      const cut = Math.min(middle + reach, Math.max(middle - reach, pair[at] as number));
      return (cut * (weights[at] as number)) / whole;
    });
    return mean(parts);
  });
}

/** The means of all pairs of values, each with itself too, sorted. */
function walshAverages(values: readonly number[]): Float64Array {
  return Float64Array.from(values.flatMap((one, at) => values.slice(at).map((other) => (one + other) / 2))).sort();
}

/** How many averages lie outside of the interval on each side. */
function outsideOf(count: number): number {
  const middle = (count * (count + 1)) / 4;
  return Math.max(0, Math.floor(middle - Z * Math.sqrt((middle * (2 * count + 1)) / 6)));
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
