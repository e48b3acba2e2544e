// The interval of a rate: E. B. Wilson, "Probable inference, the law of succession, and statistical inference" (Journal of the
// American Statistical Association 22, 1927).

import { normalQuantile } from "./normal.js";

/** A rate of `runs` runs, which need not be whole numbers. */
export function wilsonInterval(rate: number, runs: number, level: number): { low: number; high: number } {
  const z = normalQuantile((1 + level) / 2);
  const middle = rate + (z * z) / (2 * runs);
  const half = z * Math.sqrt((rate * (1 - rate)) / runs + (z * z) / (4 * runs * runs));
  const divisor = 1 + (z * z) / runs;
  return { low: Math.max(0, (middle - half) / divisor), high: Math.min(1, (middle + half) / divisor) };
}
