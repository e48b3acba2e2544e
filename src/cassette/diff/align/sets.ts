// The input of an alignment: a sequence of sets of items. A turn is a set of calls, which have no order; a text is a set of one.

/** Something that a run did in a turn. Each object belongs to one side only. */
export interface Item {
  turn: number;
  /** Identity: equal keys are the same thing. */
  key: string;
  /** Kinship: an item may only have changed into one of the same name. */
  name: string;
}

/** A multiset, never empty, in an order that does not depend on the run's own order. */
export type ItemSet<T extends Item = Item> = readonly T[];

/** Tells whether two items of one name are the same though their keys differ. Symmetric, but not always transitive. */
export type IsAlike<T extends Item = Item> = (a: T, b: T) => boolean;

export interface Terms<T extends Item = Item> {
  isAlike?: IsAlike<T>;
  /** Additions on the new side cost nothing. Such a comparison has no mirror image. Default false. */
  freeAdditions?: boolean;
}

export function groupBy<T, K>(items: Iterable<T>, groupOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(groupOf(item));
    if (group === undefined) groups.set(groupOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
