// What an edit script cannot say: that a call went to another place, and that the calls of one turn have no order.

import { pairAlike } from "./alike.js";
import { dissolveChains } from "./chains.js";
import type { Item, Match } from "./match.js";

/**
 * Turns a removed and an added item with one key into a moved one, changed pairs that only swapped places too, and a
 * removed and an added item of one name into a changed one when their turns correspond; last, changed items of one turn
 * are paired with those they are most like.
 */
export function pairMoves<T extends Item>(script: readonly Match<T>[]): Match<T>[] {
  return pairAlike(pairWithinTurns(pairEqualKeys(dissolveChains(pairEqualKeys(script)))));
}

/** Removed and added items with one key are one moved item, paired in order. */
function pairEqualKeys<T extends Item>(matches: readonly Match<T>[]): Match<T>[] {
  return pairUp(matches, "moved", (item) => item.key);
}

/**
 * The calls of a turn are a set, so a removed and an added call of one tool are one changed call if something else pairs
 * their two turns.
 */
function pairWithinTurns<T extends Item>(matches: readonly Match<T>[]): Match<T>[] {
  const partners = new Map<number, Set<number>>();
  for (const match of matches) {
    if (match.kind !== "same" && match.kind !== "changed") continue;
    append(partners, match.old.turn, match.new.turn);
  }
  return pairUp(
    matches,
    "changed",
    (item) => item.name,
    (old, now) => partners.get(old.turn)?.has(now.turn) === true,
  );
}

function append(sets: Map<number, Set<number>>, key: number, value: number): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

/** Gives each added item the first free removed item of its group; the pair takes the place of the added item. */
function pairUp<T extends Item>(
  matches: readonly Match<T>[],
  kind: "moved" | "changed",
  groupOf: (item: T) => string,
  fits: (old: T, now: T) => boolean = () => true,
): Match<T>[] {
  const free = new Map<string, T[]>();
  for (const match of matches) {
    if (match.kind !== "removed") continue;
    const group = free.get(groupOf(match.old));
    if (group === undefined) free.set(groupOf(match.old), [match.old]);
    else group.push(match.old);
  }
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
