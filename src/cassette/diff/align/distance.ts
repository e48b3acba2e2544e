// Measures the distance between two runs as one number, and gives a run's path an identity.
//
// The edit distance d of sequences of sets is a metric, since the price between two sets is one (price.ts). It is normalised to
// [0, 1] as 2d / (|a| + |b| + d), which keeps the triangle inequality: L. Yujian and L. Bo, "A normalized Levenshtein distance
// metric" (IEEE TPAMI 29, 2007).

import { canonicalize, defined } from "../../../core/index.js";
import type { Cassette } from "../../file/format.js";
import { align } from "./align.js";
import { callSetsOf, likenessBy, type ComparedCall } from "./call-sets.js";
import { createUseCounter, type ToleranceUse } from "../../tolerance/uses.js";
import { parseDiffOptions, type DiffOptions, type DiffSettings } from "../options.js";
import { pairSame } from "./same.js";
import type { ItemSet, Terms } from "./sets.js";

/** Options of a distance, which is symmetric: `in_order` counts as strict, `subset` and `superset` as unordered. */
export type PathOptions = Omit<DiffOptions, "ignoreContent" | "ignoreStops">;

/**
 * Returns the distance between two runs by their tool calls: 0 for the same path, 1 if only one of the runs calls anything. It is a
 * metric: symmetric, 0 to itself, and with the triangle inequality. That inequality may fail with tolerances under which a is like b and
 * b like c, but a not like c. Throws `CassetteError` "invalid-options" or "diff-too-large".
 */
export function trajectoryDistance(a: Cassette, b: Cassette, options: PathOptions = {}): number {
  return pathDistance(pathOf(a, options), pathOf(b, options));
}

/** The part of a run that paths and distances need, for comparing many runs with each other. */
export interface RunPath {
  readonly sets: readonly ItemSet<ComparedCall>[];
  readonly settings: DiffSettings;
}

/** Reduces a run to its path. Throws `CassetteError` `invalid-options`. */
export function pathOf(cassette: Cassette, options: PathOptions = {}): RunPath {
  const settings = parseDiffOptions({ ...options, ignoreContent: true });
  return { sets: callSetsOf(cassette, settings), settings };
}

/** `trajectoryDistance` of two paths that were made with the same options. Throws "diff-too-large". */
export function pathDistance({ sets: old, settings }: RunPath, { sets: now }: RunPath): number {
  const calls = old.flat().length + now.flat().length;
  if (calls === 0) return 0;
  const isAlike = likenessBy(settings, old, now);
  const { cost } = align(old, now, defined({ isAlike }) as Terms);
  return (2 * cost) / (calls + cost);
}

/** The tolerances that made different calls of two such paths equal. Throws "diff-too-large". */
export function pathUses({ sets: old, settings }: RunPath, { sets: now }: RunPath): ToleranceUse[] {
  const uses = createUseCounter();
  if (!settings.equality.isTolerant) return [];
  const isAlike = likenessBy(settings, old, now);
  for (const step of align(old, now, defined({ isAlike }) as Terms).steps) {
    if (step.kind !== "pair") continue;
    const [left = [], right = []] = [old[step.old], now[step.new]];
    pairSame(left, right, isAlike).forEach((partner, index) => {
      const [was, is] = [left[index], right[partner]];
      if (was !== undefined && is !== undefined) uses.add(settings.equality.usesBetween(was.call, is.call));
    });
  }
  return uses.list();
}

/**
 * Returns a run's path as text. Two texts are equal exactly if the distance is 0, apart from calls that only tolerances make alike. Throws
 * `CassetteError` "invalid-options".
 */
export function pathKey(cassette: Cassette, options: PathOptions = {}): string {
  return canonicalize(pathOf(cassette, options).sets.map((set) => set.map(({ key }) => key)));
}
