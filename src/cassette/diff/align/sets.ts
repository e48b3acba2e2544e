// What an alignment works on: a run as a sequence of sets of items. A turn is a set of calls, for the calls of one turn have
// no order; a text is a set of its own.

/** Something a run did, in a turn. One object belongs to one side alone. */
export interface Item {
  turn: number;
  /** Identity: equal keys are the same thing. */
  key: string;
  /** Kinship: things of one name may have changed into each other. */
  name: string;
}

/** Never empty; a multiset, listed in an order that the run's own listing does not decide. */
export type ItemSet<T extends Item = Item> = readonly T[];

/** Says that two items of one name are the same thing though their keys differ. Symmetric; need not be transitive. */
export type IsAlike<T extends Item = Item> = (a: T, b: T) => boolean;

/** How two sides are held against each other. */
export interface Terms<T extends Item = Item> {
  isAlike?: IsAlike<T>;
  /** What the new side has more costs nothing. Such a comparison has no mirror image. Default false. */
  freeAdditions?: boolean;
}

/** Items of one list by what `groupOf` gives, in the order of the list. */
export function groupBy<T, K>(items: Iterable<T>, groupOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(groupOf(item));
    if (group === undefined) groups.set(groupOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
