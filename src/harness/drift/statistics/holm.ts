// Many scenarios, one level: S. Holm, "A simple sequentially rejective multiple test procedure" (Scandinavian Journal of
// Statistics 6, 1979), over the tests that can reject at all: R. E. Tarone, "A modified Bonferroni method for discrete data"
// (Biometrics 46, 1990). The p-value that a test can reach depends on the numbers of runs, not on which side was better. So
// tests that cannot reach the level can be left out, at no cost and without more false alarms.

/** Whether each test takes part, by its smallest attainable p-value: Tarone's set for this level. */
export function selectTestable(attainable: readonly number[], level: number): boolean[] {
  const sorted = [...attainable].sort((a, b) => a - b);
  let within = 0;
  for (let tests = 1; tests <= sorted.length; tests++) {
    within = sorted.filter((value) => value <= level / tests).length;
    if (within <= tests) return attainable.map((value) => value <= level / tests);
  }
  return attainable.map(() => false);
}

/** Holm's adjusted p-values, in the order given. Each is at least its own p and at most 1. */
export function holmAdjust(p: readonly number[]): number[] {
  const order = p.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const adjusted = new Array<number>(p.length);
  let largest = 0;
  order.forEach(({ value, index }, rank) => {
    largest = Math.max(largest, Math.min(1, value * (p.length - rank)));
    adjusted[index] = largest;
  });
  return adjusted;
}
