// The tolerances that a comparison relied on. A passing report lists them, because a tolerance that is too wide hides drift.

import { toleranceText, type Rule } from "./kinds.js";

/** A tolerance that made two different values equal. */
export interface ToleranceUse {
  /** The tolerance as text: `numeric ±0.001`. */
  tolerance: string;
  tool: string;
  /** The place as written in the file, including `*`. */
  pointer: string;
  times: number;
}

export interface UseCounter {
  note(tool: string, rule: Rule): void;
  add(uses: readonly ToleranceUse[]): void;
  /** Sorted by tool, pointer and tolerance. */
  list(): ToleranceUse[];
  clear(): void;
}

/** Counts uses, and adds up the times of equal ones. */
export function createUseCounter(): UseCounter {
  const uses = new Map<string, ToleranceUse>();
  const count = ({ tool, pointer, tolerance, times }: ToleranceUse): void => {
    const key = JSON.stringify([tool, pointer, tolerance]);
    uses.set(key, { tolerance, tool, pointer, times: times + (uses.get(key)?.times ?? 0) });
  };
  return {
    note: (tool, { tolerance, pointer }) => count({ tool, pointer, tolerance: toleranceText(tolerance), times: 1 }),
    add: (more) => more.forEach(count),
    list: () => [...uses.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => ({ ...use })),
    clear: () => uses.clear(),
  };
}
