// Which changed call became which. The edit script pairs calls in order, but the calls of one turn have no order: where two
// changed calls of one tool share a turn on either side, they are paired the way that leaves the most of their text alike.

import type { Item, Match } from "./match.js";

type Changed<T> = Extract<Match<T>, { kind: "changed" }>;

/** Passes over all pairs at the most; each swap makes the pairing strictly more alike, so few are ever needed. */
const MAX_PASSES = 8;

/** Swaps partners between changed pairs as long as that makes them more alike. Equal keys that meet are the same call. */
export function pairAlike<T extends Item>(matches: readonly Match<T>[]): Match<T>[] {
  const changed = matches.flatMap((match) => (match.kind === "changed" ? [{ ...match }] : []));
  for (const group of groupsOf(changed)) swapWhileBetter(group);
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
      groups.set(key, [...(groups.get(key) ?? []), pair]);
    }
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

function swapWhileBetter<T extends Item>(group: Changed<T>[]): void {
  for (let pass = 0, swapped = true; swapped && pass < MAX_PASSES; pass++) {
    swapped = false;
    group.forEach((one, index) => {
      for (const other of group.slice(index + 1)) {
        if (!shareTurn(one, other)) continue;
        const now = likeness(one.old, one.new) + likeness(other.old, other.new);
        const then = likeness(one.old, other.new) + likeness(other.old, one.new);
        if (then <= now) continue;
        [one.new, other.new] = [other.new, one.new];
        swapped = true;
      }
    });
  }
}

/** An earlier swap may have parted what a group had in common, so it is asked again. */
function shareTurn<T extends Item>(one: Changed<T>, other: Changed<T>): boolean {
  return one.old.turn === other.old.turn || one.new.turn === other.new.turn;
}

/** Characters of the keys that agree from the start and from the end; equal keys beat everything. */
function likeness(a: Item, b: Item): number {
  if (a.key === b.key) return Number.MAX_SAFE_INTEGER / 4;
  const limit = Math.min(a.key.length, b.key.length);
  let start = 0;
  while (start < limit && a.key[start] === b.key[start]) start++;
  let end = 0;
  while (end < limit - start && a.key[a.key.length - 1 - end] === b.key[b.key.length - 1 - end]) end++;
  return start + end;
}
