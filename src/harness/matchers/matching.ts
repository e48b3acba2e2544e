// Pairs the items of two lists: a maximum matching by augmenting paths (C. Berge 1957). Expectations may overlap, such as "any
// search" and "the search for Oslo", so taking the first item that fits would miss pairs.

/**
 * Finds a maximum pairing of `rows` with `columns`: each row's column, or -1. Prefers earlier ones if that costs no pair.
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

/** A maximum pairing of the rows added so far. */
interface GrowingMatching {
  /** Pairs the row, giving other rows new partners if necessary. Returns false if the row cannot ever be paired. */
  readonly add: (row: number) => boolean;
  readonly columnOf: ReadonlyMap<number, number>;
}

/** Pairs rows that arrive one by one. A row that finds no partner leaves the pairing unchanged. */
export function growingMatching(columns: number, fits: (row: number, column: number) => boolean): GrowingMatching {
  /** Each column's row, or -1. */
  const rowOf = new Array<number>(columns).fill(-1);
  const columnOf = new Map<number, number>();

  /** Searches breadth-first, so long paths cannot overflow the stack. */
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
