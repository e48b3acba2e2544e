// Pairs two small groups at the least total cost by the Hungarian method, with potentials and one shortest augmenting path for
// each row (H. W. Kuhn 1955; J. Munkres 1957). Time O(r²·c) for r rows and c ≥ r columns.

/** Each row's column (or -1), each column once, at the least sum of finite costs. The same costs give the same pairing. */
export function assign(rows: number, columns: number, cost: (row: number, column: number) => number): number[] {
  if (rows > columns) {
    const partners = new Array<number>(rows).fill(-1);
    assign(columns, rows, (column, row) => cost(row, column)).forEach((row, column) => (partners[row] = column));
    return partners;
  }
  const search = createSearch(rows, columns, cost);
  for (let row = 1; row <= rows; row++) search.place(row);
  const partners = new Array<number>(rows).fill(-1);
  for (let column = 1; column <= columns; column++) {
    const row = at(search.rowOf, column);
    if (row > 0) partners[row - 1] = column - 1;
  }
  return partners;
}

/** Rows and columns count from 1; 0 stands for the row that is being placed. */
function createSearch(rows: number, columns: number, cost: (row: number, column: number) => number) {
  const rowPotential = new Float64Array(rows + 1);
  const columnPotential = new Float64Array(columns + 1);
  const rowOf = new Float64Array(columns + 1);
  const way = new Float64Array(columns + 1);

  /** Finds the cheapest path from `start` to a free column over existing pairs, and takes it. */
  function place(start: number): void {
    rowOf[0] = start;
    const slack = new Float64Array(columns + 1).fill(Infinity);
    const used = new Uint8Array(columns + 1);
    let column = 0;
    do {
      used[column] = 1;
      const row = at(rowOf, column);
      let [delta, next] = [Infinity, 0];
      for (let other = 1; other <= columns; other++) {
        if (used[other] === 1) continue;
        const reduced = cost(row - 1, other - 1) - at(rowPotential, row) - at(columnPotential, other);
        if (reduced < at(slack, other)) [slack[other], way[other]] = [reduced, column];
        if (at(slack, other) < delta) [delta, next] = [at(slack, other), other];
      }
      shift(used, slack, delta);
      column = next;
    } while (at(rowOf, column) !== 0);
    while (column !== 0) {
      const before = at(way, column);
      rowOf[column] = at(rowOf, before);
      column = before;
    }
  }

  function shift(used: Uint8Array, slack: Float64Array, delta: number): void {
    for (let column = 0; column <= columns; column++) {
      if (used[column] === 1) {
        rowPotential[at(rowOf, column)] = at(rowPotential, at(rowOf, column)) + delta;
        columnPotential[column] = at(columnPotential, column) - delta;
      } else {
        slack[column] = at(slack, column) - delta;
      }
    }
  }

  return { rowOf, place };
}

function at(list: Float64Array, index: number): number {
  return list[index] as number;
}
