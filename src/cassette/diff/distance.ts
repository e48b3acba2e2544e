// How far apart two runs are as one number, and the identity of the path a run took.
//
// The edit distance d of sequences of sets is a metric, for the price of one set against another is (price.ts). It is brought
// into [0, 1] as 2d / (|a| + |b| + d), which keeps the triangle inequality: L. Yujian and L. Bo, "A normalized Levenshtein
// distance metric" (IEEE TPAMI 29, 2007).

import { canonicalize } from "../../core/index.js";
import type { Cassette } from "../format.js";
import { align } from "./align.js";
import { callSetsOf, likenessBy } from "./call-sets.js";
import { parseDiffOptions, type DiffOptions, type DiffSettings } from "./options.js";
import type { Terms } from "./sets.js";

/** A distance has no sides and no words: `in_order` counts as strict here, `subset` and `superset` as unordered. */
export type PathOptions = Omit<DiffOptions, "ignoreContent">;

/**
 * 0 for runs of one path, 1 for runs of which one calls nothing and the other does; of tool calls alone. A metric: the distance
 * to itself is 0, both ways are equally far and no detour is shorter. With tolerances by which a is like b and b like c, but a
 * not like c, the last need not hold. Throws "invalid-options" and "diff-too-large".
 */
export function trajectoryDistance(a: Cassette, b: Cassette, options: PathOptions = {}): number {
  const settings = settingsOf(options);
  const [old, now] = [callSetsOf(a, settings), callSetsOf(b, settings)];
  const calls = old.flat().length + now.flat().length;
  if (calls === 0) return 0;
  const isAlike = likenessBy(settings, old, now);
  const { cost } = align(old, now, (isAlike === undefined ? {} : { isAlike }) as Terms);
  return (2 * cost) / (calls + cost);
}

/**
 * The sets of calls of a run as one text. Two runs have the same text exactly if their distance is 0, apart from calls that
 * tolerances only find alike. Throws "invalid-options".
 */
export function pathKey(cassette: Cassette, options: PathOptions = {}): string {
  return canonicalize(callSetsOf(cassette, settingsOf(options)).map((set) => set.map(({ key }) => key)));
}

function settingsOf(options: PathOptions): DiffSettings {
  return parseDiffOptions({ ...options, ignoreContent: true });
}
