// As many pairs as can be of two lists whose items fit or do not: a maximum matching by augmenting paths (C. Berge 1957). With
// expectations that overlap, such as "any search" and "the search for Oslo", taking the first that fits would miss pairs.

/** Partners of both sides, -1 for none. */
export interface Matching {
  /** For each row its column. */
  rows: number[];
  /** For each column its row. */
  columns: number[];
  size: number;
}

/** A largest pairing of `rows` with `columns`. Earlier ones are taken first where that costs no pair. */
export function matchMost(rows: number, columns: number, fits: (row: number, column: number) => boolean): Matching {
  const rowOf = new Array<number>(columns).fill(-1);
  const columnOf = new Array<number>(rows).fill(-1);

  /** Gives `start` a partner, moving others to other partners if need be. Breadth first, so that no depth is too deep. */
  function augment(start: number): boolean {
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
    for (let column = free; column >= 0;) {
      const row = from.get(column) as number;
      const before = columnOf[row] as number;
      [rowOf[column], columnOf[row]] = [row, column];
      column = before;
    }
  }

  let size = 0;
  for (let row = 0; row < rows; row++) if (augment(row)) size++;
  return { rows: columnOf, columns: rowOf, size };
}
