import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assign } from "../../../../src/cassette/diff/align/assign.js";

const costOf = (costs: number[][], partners: readonly number[]): number =>
  partners.reduce((sum, column, row) => sum + (column < 0 ? 0 : (costs[row]?.[column] ?? NaN)), 0);

/** The least sum when as many rows as can be are paired, by trying everything. */
function least(costs: number[][], rows: readonly number[], columns: readonly number[]): number {
  const [row, ...rest] = rows;
  if (row === undefined) return 0;
  const sums = columns.map(
    (column) =>
      (costs[row]?.[column] ?? NaN) +
      least(
        costs,
        rest,
        columns.filter((other) => other !== column),
      ),
  );
  if (rows.length > columns.length) sums.push(least(costs, rest, columns));
  return Math.min(...sums);
}

describe("assign", () => {
  it("gives up a good pair for a better sum", () => {
    const costs = [
      [1, 2],
      [1, 9],
    ];
    expect(assign(2, 2, (row, column) => costs[row]?.[column] ?? 0)).toEqual([1, 0]);
  });

  it("leaves rows without a partner when there are too few columns", () => {
    expect(assign(3, 1, (row) => [5, 2, 7][row] ?? 0)).toEqual([-1, 0, -1]);
    expect(assign(2, 0, () => 0)).toEqual([-1, -1]);
    expect(assign(0, 2, () => 0)).toEqual([]);
  });

  it("costs the least of all pairings", () => {
    const matrix = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })).chain(([rows, columns]) =>
      fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    );
    fc.assert(
      fc.property(matrix, (costs) => {
        const [rows, columns] = [costs.length, costs[0]?.length ?? 0];
        const partners = assign(rows, columns, (row, column) => costs[row]?.[column] ?? 0);
        const taken = partners.filter((column) => column >= 0);
        expect(new Set(taken).size).toBe(Math.min(rows, columns));
        expect(taken).toHaveLength(Math.min(rows, columns));
        expect(costOf(costs, partners)).toBe(least(costs, [...costs.keys()], [...(costs[0] ?? []).keys()]));
      }),
      { numRuns: 300 },
    );
  });
});
