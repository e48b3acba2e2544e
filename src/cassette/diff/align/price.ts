// The price of turning one set of items into another, and the sets of a run as small integers for quick comparison.
//
// A removal, an addition, and a change into an item of the same name cost 1 each; an equal or alike item costs 0. So p items of a
// name against q of the same name cost max(p, q) minus the equal ones, which is a metric where likeness is transitive.

import { pairSame } from "./same.js";
import { groupBy, type Item, type ItemSet, type Terms } from "./sets.js";

/** Both sides with their sets numbered: equal numbers are equal sets. */
export interface Tables {
  old: SideTables;
  new: SideTables;
  /** Items of one name may be the same though their keys differ. */
  hasAlike: boolean;
  /** Edits between two sets that share a name, and how many pairs are the same; undefined if they share none. */
  pair(old: number, now: number): { edits: number; same: number } | undefined;
}

export interface SideTables {
  sets: Int32Array;
  /** The name of the only item, or -1 where there are several. */
  names: Int32Array;
  sizes: Int32Array;
}

export function createTables(old: readonly ItemSet[], now: readonly ItemSet[], terms: Terms): Tables {
  const names = new Numbers();
  const keys = new Numbers();
  const sets = new Numbers();
  const toTables = (side: readonly ItemSet[]): SideTables => ({
    sets: Int32Array.from(side, (set) =>
      sets.of(
        set
          .map(({ key }) => keys.of(key))
          .sort((x, y) => x - y)
          .join(),
      ),
    ),
    names: Int32Array.from(side, (set) => (set.length === 1 ? names.of((set[0] as Item).name) : -1)),
    sizes: Int32Array.from(side, (set) => set.length),
  });
  return {
    old: toTables(old),
    new: toTables(now),
    hasAlike: terms.isAlike !== undefined,
    pair: (index, other) => pairPrice(old[index] as ItemSet, now[other] as ItemSet, terms),
  };
}

class Numbers {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

/** Edits between two sets, and their equal pairs; undefined if they share no name, and so no item. */
export function pairPrice(
  old: ItemSet,
  now: ItemSet,
  { isAlike, freeAdditions }: Terms,
): { edits: number; same: number } | undefined {
  const counts = new Map<string, number>();
  for (const { name } of now) counts.set(name, (counts.get(name) ?? 0) + 1);
  if (!old.some(({ name }) => counts.has(name))) return undefined;
  const same = pairSame(old, now, isAlike).filter((partner) => partner >= 0).length;
  if (freeAdditions === true) return { edits: old.length - same, same };
  for (const { name } of old) counts.set(name, (counts.get(name) ?? 0) - 1);
  let edits = old.length - same;
  for (const surplus of counts.values()) if (surplus > 0) edits += surplus;
  return { edits, same };
}

/** A lower bound of every script: the cost if no order counted. */
export function leastCost(old: readonly ItemSet[], now: readonly ItemSet[], { isAlike }: Terms): number {
  const [before, after] = [groupBy(old.flat(), ({ name }) => name), groupBy(now.flat(), ({ name }) => name)];
  let cost = 0;
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [left, right] = [before.get(name) ?? [], after.get(name) ?? []];
    const longer = Math.max(left.length, right.length);
    cost += longer - (isAlike === undefined ? countEqual(left, right) : Math.min(left.length, right.length));
  }
  return cost;
}

function countEqual(left: ItemSet, right: ItemSet): number {
  return pairSame(left, right).filter((partner) => partner >= 0).length;
}
