// How far apart two runs are as one number, and the identity of the path a run took.
//
// The edit distance d of sequences of sets is a metric, for the price of one set against another is (price.ts). It is brought
// into [0, 1] as 2d / (|a| + |b| + d), which keeps the triangle inequality: L. Yujian and L. Bo, "A normalized Levenshtein
// distance metric" (IEEE TPAMI 29, 2007).

import { canonicalize, defined } from "../../../core/index.js";
import type { Cassette } from "../../file/format.js";
import { align } from "./align.js";
import { callSetsOf, likenessBy, type ComparedCall } from "./call-sets.js";
import { createUseCounter, type ToleranceUse } from "../../tolerance/uses.js";
import { parseDiffOptions, type DiffOptions, type DiffSettings } from "../options.js";
import { pairSame } from "./same.js";
import type { ItemSet, Terms } from "./sets.js";

/** A distance has no sides and no words: `in_order` counts as strict here, `subset` and `superset` as unordered. */
export type PathOptions = Omit<DiffOptions, "ignoreContent" | "ignoreStops">;

/**
 * 0 for runs of one path, 1 for runs of which one calls nothing and the other does; of tool calls alone. A metric: the distance
 * to itself is 0, both ways are equally far and no detour is shorter. With tolerances by which a is like b and b like c, but a
 * not like c, the last need not hold. Throws "invalid-options" and "diff-too-large".
 */
export function trajectoryDistance(a: Cassette, b: Cassette, options: PathOptions = {}): number {
  return pathDistance(pathOf(a, options), pathOf(b, options));
}

/** A run reduced to what its path and its distance from others take, for comparing each of many with each. */
export interface RunPath {
  readonly sets: readonly ItemSet<ComparedCall>[];
  readonly settings: DiffSettings;
}

/** The path of a run, ready to be compared with others. Throws `CassetteError` `invalid-options`. */
export function pathOf(cassette: Cassette, options: PathOptions = {}): RunPath {
  const settings = settingsOf(options);
  return { sets: callSetsOf(cassette, settings), settings };
}

/** `trajectoryDistance` of two runs that were reduced with the same options. Throws "diff-too-large". */
export function pathDistance({ sets: old, settings }: RunPath, { sets: now }: RunPath): number {
  const calls = old.flat().length + now.flat().length;
  if (calls === 0) return 0;
  const isAlike = likenessBy(settings, old, now);
  const { cost } = align(old, now, defined({ isAlike }) as Terms);
  return (2 * cost) / (calls + cost);
}

/** What made calls of two such runs equal that were not recorded alike. Throws "diff-too-large". */
export function pathUses({ sets: old, settings }: RunPath, { sets: now }: RunPath): ToleranceUse[] {
  const uses = createUseCounter();
  if (!settings.rules.isTolerant) return [];
  const isAlike = likenessBy(settings, old, now);
  for (const step of align(old, now, defined({ isAlike }) as Terms).steps) {
    if (step.kind !== "pair") continue;
    const [left = [], right = []] = [old[step.old], now[step.new]];
    pairSame(left, right, isAlike).forEach((partner, index) => {
      const [was, is] = [left[index], right[partner]];
      if (was !== undefined && is !== undefined) uses.add(settings.rules.usesBetween(was.call, is.call));
    });
  }
  return uses.list();
}

/**
 * The sets of calls of a run as one text. Two runs have the same text exactly if their distance is 0, apart from calls that
 * tolerances only find alike. Throws "invalid-options".
 */
export function pathKey(cassette: Cassette, options: PathOptions = {}): string {
  return canonicalize(pathOf(cassette, options).sets.map((set) => set.map(({ key }) => key)));
}

function settingsOf(options: PathOptions): DiffSettings {
  return parseDiffOptions({ ...options, ignoreContent: true });
}
