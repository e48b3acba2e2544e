// Pairs the same items of two sets, as many as possible, by equal keys and, where tolerances allow it, by likeness. A maximum
// matching by augmenting paths (C. Berge 1957) that begins with the equal keys.

import type { IsAlike, Item, ItemSet } from "./sets.js";

/** Gives for each old item the index of the new item that is the same, or -1, in a pairing of the largest size. */
export function pairSame<T extends Item>(old: ItemSet<T>, now: ItemSet<T>, isAlike?: IsAlike<T>): number[] {
  const partners = pairEqual(old, now);
  if (isAlike === undefined) return partners;
  const taken = new Map<number, number>();
  partners.forEach((partner, index) => partner >= 0 && taken.set(partner, index));
  for (const [index, partner] of partners.entries()) if (partner < 0) augment(index, new Set());
  return partners;

  /** Gives `index` a partner, and moves others to other partners if necessary. */
  function augment(index: number, seen: Set<number>): boolean {
    for (const [candidate, item] of now.entries()) {
      if (seen.has(candidate) || !isSame(old[index] as T, item)) continue;
      seen.add(candidate);
      const holder = taken.get(candidate);
      if (holder !== undefined && !augment(holder, seen)) continue;
      taken.set(candidate, index);
      partners[index] = candidate;
      return true;
    }
    return false;
  }

  function isSame(a: T, b: T): boolean {
    return a.name === b.name && (a.key === b.key || isAlike?.(a, b) === true);
  }
}

function pairEqual(old: ItemSet, now: ItemSet): number[] {
  if (old.length === 1 && now.length === 1) return [old[0]?.key === now[0]?.key ? 0 : -1];
  const free = new Map<string, number[]>();
  for (let index = now.length - 1; index >= 0; index--) {
    const { key } = now[index] as Item;
    const indices = free.get(key);
    if (indices === undefined) free.set(key, [index]);
    else indices.push(index);
  }
  return old.map(({ key }) => free.get(key)?.pop() ?? -1);
}
