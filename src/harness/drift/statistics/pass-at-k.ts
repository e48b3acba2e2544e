// Unbiased estimates of how often at least one, or all, of k runs succeed: pass@k of M. Chen et al., "Evaluating large language
// models trained on code" (arXiv:2107.03374, 2021), and pass^k of S. Yao et al., "tau-bench" (arXiv:2406.12045, 2024).

import type { Counts } from "./fisher.js";

/** 1 - C(n-c, k) / C(n, k) for k = 1 … n: the chance that k of the n runs, drawn without replacement, include a success. */
export function passAt({ runs, successes }: Counts): number[] {
  return shares(runs, runs - successes).map((share) => 1 - share);
}

/** C(c, k) / C(n, k) for k = 1 … n: the chance that k of the n runs, drawn without replacement, are all successes. */
export function passHat({ runs, successes }: Counts): number[] {
  return shares(runs, successes);
}

/** The chance that 1, 2 … `runs` runs, drawn without replacement, are all among `kind` of them. */
function shares(runs: number, kind: number): number[] {
  let share = 1;
  return Array.from({ length: runs }, (_, drawn) => (share *= Math.max(0, kind - drawn) / (runs - drawn)));
}
