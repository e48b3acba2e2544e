// Which changed call became which. The edit script pairs calls in order, but the calls of one turn have no order: where two
// changed calls of one tool share a turn on either side, they are paired the way that leaves the most of their text alike.

import type { Item, Match } from "./match.js";

type Changed<T> = Extract<Match<T>, { kind: "changed" }>;

/** Passes over all pairs at the most; each swap makes the pairing strictly more alike, so few are ever needed. */
const MAX_PASSES = 8;

/** Characters that are compared at either end of two keys; what they share beyond that decides nothing. */
const MAX_EDGE = 300;

/** Pairs that are looked at in one comparison; groups that come after that keep the script's pairing. */
export const MAX_LOOKS = 500_000;

/** Swaps partners between changed pairs as long as that makes them more alike. Equal keys that meet are the same call. */
export function pairAlike<T extends Item>(matches: readonly Match<T>[]): Match<T>[] {
  const changed = matches.flatMap((match) => (match.kind === "changed" ? [{ ...match }] : []));
  let looks = MAX_LOOKS;
  for (const group of groupsOf(changed)) looks -= swapWhileBetter(group, looks);
  let next = 0;
  return matches.map((match): Match<T> => {
    if (match.kind !== "changed") return match;
    const pair = changed[next++] as Changed<T>;
    return pair.old.key === pair.new.key ? { ...pair, kind: "same" } : pair;
  });
}

/** Changed pairs of one tool that share their old or their new turn. */
function groupsOf<T extends Item>(changed: readonly Changed<T>[]): Changed<T>[][] {
  const groups = new Map<string, Changed<T>[]>();
  for (const pair of changed) {
    for (const key of [`old ${pair.old.turn} ${pair.old.name}`, `new ${pair.new.turn} ${pair.new.name}`]) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [pair]);
      else group.push(pair);
    }
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Gives the number of pairs it looked at. A pass that would look at more than `most` in all is not begun. */
function swapWhileBetter<T extends Item>(group: Changed<T>[], most: number): number {
  const pairs = (group.length * (group.length - 1)) / 2;
  let looks = 0;
  for (let pass = 0, swapped = true; swapped && pass < MAX_PASSES && looks + pairs <= most; pass++) {
    swapped = false;
    looks += pairs;
    for (const [index, one] of group.entries()) {
      for (let next = index + 1; next < group.length; next++) {
        if (swapIfBetter(one, group[next] as Changed<T>)) swapped = true;
      }
    }
  }
  return looks;
}

function swapIfBetter<T extends Item>(one: Changed<T>, other: Changed<T>): boolean {
  if (!shareTurn(one, other)) return false;
  const now = likeness(one.old, one.new) + likeness(other.old, other.new);
  const then = likeness(one.old, other.new) + likeness(other.old, one.new);
  if (then <= now) return false;
  [one.new, other.new] = [other.new, one.new];
  return true;
}

/** An earlier swap may have parted what a group had in common, so it is asked again. */
function shareTurn<T extends Item>(one: Changed<T>, other: Changed<T>): boolean {
  return one.old.turn === other.old.turn || one.new.turn === other.new.turn;
}

/** Characters of the keys that agree from the start and from the end, MAX_EDGE of each; equal keys beat everything. */
function likeness(a: Item, b: Item): number {
  if (a.key === b.key) return Number.MAX_SAFE_INTEGER / 4;
  const limit = Math.min(a.key.length, b.key.length);
  const longest = Math.min(limit, MAX_EDGE);
  let start = 0;
  while (start < longest && a.key[start] === b.key[start]) start++;
  const rest = Math.min(limit - start, MAX_EDGE);
  let end = 0;
  while (end < rest && a.key[a.key.length - 1 - end] === b.key[b.key.length - 1 - end]) end++;
  return start + end;
}
