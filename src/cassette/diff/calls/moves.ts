// Finds what an edit script cannot express: calls that moved, and the best pairing of changed calls.

import { MAX_REPAIRED_PAIRS } from "../../limits.js";
import { assign } from "../align/assign.js";
import { dissolveChains } from "../align/chains.js";
import type { Match, Refine } from "../align/match.js";
import { groupBy, type Item } from "../align/sets.js";

type Changed<T> = Extract<Match<T>, { kind: "changed" }>;

/** Less than any two items can be unlike, so that the same item always comes first. */
const SAME = -1e12;

/**
 * Turns a removed and an added item with one key into a moved one, also where changed pairs only swapped places. A removed and an
 * added item of one name near each other become a changed one. Last, changed items that share a turn on either side are paired
 * again, by the least unlikeness.
 */
export function pairMoves<T extends Item>(
  script: readonly Match<T>[],
  { isNear, isSame, unlike }: Parameters<Refine<T>>[1],
): Match<T>[] {
  const pairMoved = (matches: readonly Match<T>[]) => pairUp(matches, "moved", (item) => item.key);
  const moved = pairMoved(dissolveChains(pairMoved(script)));
  const paired = pairUp(moved, "changed", (item) => item.name, isNear);
  const changed = new Map(
    paired.flatMap((match) => (match.kind === "changed" ? [[match, { ...match }] as const] : [])),
  );
  const cost = (old: T, now: T) => (isSame(old, now) ? SAME : unlike(old, now));
  swapWithin([...changed.values()], (pair) => `${pair.old.turn} ${pair.old.name}`, cost);
  swapWithin([...changed.values()], (pair) => `${pair.new.turn} ${pair.new.name}`, cost);
  return paired.map((match): Match<T> => {
    const pair = match.kind === "changed" ? changed.get(match) : undefined;
    if (pair === undefined) return match;
    return isSame(pair.old, pair.new) ? { ...pair, kind: "moved" } : pair;
  });
}

/** Gives the pairs of each group the partners with the least sum of unlikeness. */
function swapWithin<T>(
  pairs: readonly Changed<T>[],
  groupOf: (pair: Changed<T>) => string,
  cost: (old: T, now: T) => number,
): void {
  for (const group of groupBy(pairs, groupOf).values()) {
    if (group.length < 2 || group.length > MAX_REPAIRED_PAIRS) continue;
    const news = group.map((pair) => pair.new);
    const costs = group.map(({ old }) => news.map((now) => cost(old, now)));
    const partners = assign(group.length, group.length, (row, column) => costs[row]?.[column] ?? 0);
    group.forEach((pair, row) => (pair.new = news[partners[row] ?? row] ?? pair.new));
  }
}

/** Gives each added item the first free removed item of its group that fits. */
function pairUp<T extends Item>(
  matches: readonly Match<T>[],
  kind: "moved" | "changed",
  groupOf: (item: T) => string,
  fits: (old: T, now: T) => boolean = () => true,
): Match<T>[] {
  const free = groupBy(
    matches.flatMap((match) => (match.kind === "removed" ? [match.old] : [])),
    groupOf,
  );
  const paired = new Set<T>();
  const result = matches.map((match): Match<T> => {
    if (match.kind !== "added") return match;
    const group = free.get(groupOf(match.new)) ?? [];
    const index = group.findIndex((old) => fits(old, match.new));
    const old = group[index];
    if (old === undefined) return match;
    group.splice(index, 1);
    paired.add(old);
    return { kind, old, new: match.new };
  });
  return result.filter((match) => match.kind !== "removed" || !paired.has(match.old));
}
