// A count by kind, such as of the repairs of an import or the losses of an export.

export interface Tallied<Kind> {
  kind: Kind;
  count: number;
}

export interface Tally<Kind> {
  /** A `count` of 0 or less adds nothing. */
  add(kind: Kind, count?: number): void;
  /** By kind, in alphabetical order. */
  list(): Tallied<Kind>[];
}

export function createTally<Kind extends string>(): Tally<Kind> {
  const counts = new Map<Kind, number>();
  return {
    add(kind, count = 1) {
      if (count > 0) counts.set(kind, (counts.get(kind) ?? 0) + count);
    },
    list: () => [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
  };
}
