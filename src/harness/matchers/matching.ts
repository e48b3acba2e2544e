// As many pairs as can be of two lists whose items fit or do not: a maximum matching by augmenting paths (C. Berge 1957). With
// expectations that overlap, such as "any search" and "the search for Oslo", taking the first that fits would miss pairs.

/**
 * A largest pairing of `rows` with `columns`: for each row its column, or -1. Earlier ones are taken first where that costs no pair.
 */
export function matchMost(
  rows: number,
  columns: number,
  fits: (row: number, column: number) => boolean,
): { rows: number[]; size: number } {
  const { add, columnOf } = growingMatching(columns, fits);
  let size = 0;
  for (let row = 0; row < rows; row++) if (add(row)) size++;
  return { rows: Array.from({ length: rows }, (_, row) => columnOf.get(row) ?? -1), size };
}

/** A pairing that is a largest one of the rows that were added. */
interface GrowingMatching {
  /** Gives the row a partner, moving others to other partners if need be. False: it has none, and never will have one. */
  readonly add: (row: number) => boolean;
  readonly columnOf: ReadonlyMap<number, number>;
}

/** For rows that come one by one: what a row that finds no partner leaves behind is as if it had not come. */
export function growingMatching(columns: number, fits: (row: number, column: number) => boolean): GrowingMatching {
  /** For each column its row, -1 for none. */
  const rowOf = new Array<number>(columns).fill(-1);
  const columnOf = new Map<number, number>();

  /** Breadth first, so that no depth is too deep. */
  function add(start: number): boolean {
    const from = new Map<number, number>();
    const queue = [start];
    for (const row of queue) {
      for (let column = 0; column < columns; column++) {
        if (from.has(column) || !fits(row, column)) continue;
        from.set(column, row);
        const holder = rowOf[column] as number;
        if (holder >= 0) {
          queue.push(holder);
          continue;
        }
        take(column, from);
        return true;
      }
    }
    return false;
  }

  function take(free: number, from: ReadonlyMap<number, number>): void {
    for (let column: number | undefined = free; column !== undefined;) {
      const row = from.get(column) as number;
      const before = columnOf.get(row);
      rowOf[column] = row;
      columnOf.set(row, column);
      column = before;
    }
  }

  return { add, columnOf };
}
