// The quantiles of the normal distribution: M. J. Wichura, "Algorithm AS 241: The percentage points of the normal
// distribution" (Applied Statistics 37, 1988), routine PPND7, accurate to about seven digits.

/** The z with P(Z <= z) = `p`, for 0 < p < 1. */
export function normalQuantile(p: number): number {
  const centred = p - 0.5;
  if (Math.abs(centred) <= 0.425) {
    const r = 0.180625 - centred * centred;
    const top = ((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179;
    const bottom = ((67.18756636 * r + 78.757757664) * r + 17.895169469) * r + 1;
    return (centred * top) / bottom;
  }
  const r = Math.sqrt(-Math.log(centred < 0 ? p : 1 - p));
  const size = r <= 5 ? middle(r - 1.6) : tail(r - 5);
  return centred < 0 ? -size : size;
}

function middle(r: number): number {
  const top = ((0.17023821103 * r + 1.3067284816) * r + 2.75681539) * r + 1.4234372777;
  return top / ((0.12021132975 * r + 0.7370016425) * r + 1);
}

function tail(r: number): number {
  const top = ((0.017337203997 * r + 0.42868294337) * r + 3.081226386) * r + 6.657905115;
  return top / ((0.012258202635 * r + 0.24197894225) * r + 1);
}

/**
 * The interval of a rate of `runs` runs, which need not be whole numbers: E. B. Wilson, "Probable inference, the law of succession,
 * and statistical inference" (Journal of the American Statistical Association 22, 1927).
 */
export function wilsonInterval(rate: number, runs: number, level: number): { low: number; high: number } {
  const z = normalQuantile((1 + level) / 2);
  const middle = rate + (z * z) / (2 * runs);
  const half = z * Math.sqrt((rate * (1 - rate)) / runs + (z * z) / (4 * runs * runs));
  const divisor = 1 + (z * z) / runs;
  return { low: Math.max(0, (middle - half) / divisor), high: Math.min(1, (middle + half) / divisor) };
}
