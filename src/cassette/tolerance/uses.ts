// Which tolerances a comparison rested on. A report that passes says so, since a tolerance that is too wide hides drift.

import { toleranceText, type Rule } from "./kinds.js";

/** A tolerance that made two different values equal: without it there would be a difference. */
export interface ToleranceUse {
  /** In words: `numeric ±0.001`. */
  tolerance: string;
  /** The tool that was called. */
  tool: string;
  /** The place as the file names it, `*` included. */
  pointer: string;
  /** In how many places it did so. */
  times: number;
}

export interface UseCounter {
  note(tool: string, rule: Rule): void;
  add(uses: readonly ToleranceUse[]): void;
  /** Sorted by tool, pointer and tolerance. */
  list(): ToleranceUse[];
  clear(): void;
}

/** Counts uses; equal ones become one with the sum of their times. */
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
