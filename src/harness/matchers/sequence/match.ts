// Decides whether the calls of a run match an expected sequence, and pairs them. Never greedy if that would lose a pair.

import { growingMatching, matchMost } from "../matching.js";
import type { SequenceMode } from "./spec.js";

/** Both sides as numbers: the items of each turn, numbered across all turns. */
export interface Sides {
  expected: readonly (readonly number[])[];
  made: readonly (readonly number[])[];
  fits: (expected: number, made: number) => boolean;
}

export interface SequenceMatch {
  isMatch: boolean;
  /** For each expected call, the index of the matching call, or -1. */
  partners: number[];
}

export function matchSequence(sides: Sides, mode: SequenceMode): SequenceMatch {
  switch (mode) {
    case "strict":
      return matchTurns(sides);
    case "in_order":
      return matchInOrder(sides);
    case "unordered":
    case "subset":
    case "superset":
      return matchAll(sides, mode);
  }
}

function matchAll({ expected, made, fits }: Sides, mode: "unordered" | "subset" | "superset"): SequenceMatch {
  const [wanted, calls] = [expected.flat().length, made.flat().length];
  const { rows, size } = matchMost(wanted, calls, fits);
  const hasAllWanted = size === wanted;
  const hasNoOther = size === calls;
  // `subset` and `superset` describe the run.
  const isMatch = mode === "subset" ? hasNoOther : mode === "superset" ? hasAllWanted : hasAllWanted && hasNoOther;
  return { isMatch, partners: rows };
}

/**
 * Each expected turn takes the fewest turns of the run that hold its calls. Ending early leaves the most for later turns. An
 * expected turn without a match is skipped, so that the report covers the rest.
 */
function matchInOrder({ expected, made, fits }: Sides): SequenceMatch {
  const partners = new Array<number>(expected.flat().length).fill(-1);
  let isMatch = true;
  let from = 0;
  for (const turn of expected) {
    const end = endOf(turn, made, from, fits, partners);
    if (end === undefined) isMatch = false;
    else from = end;
  }
  return { isMatch, partners };
}

function endOf(
  turn: readonly number[],
  made: Sides["made"],
  from: number,
  fits: Sides["fits"],
  partners: number[],
): number | undefined {
  // A call that finds no partner never will, so each call is tried once.
  const { add, columnOf } = growingMatching(turn.length, (call, item) => fits(turn[item] as number, call));
  for (let end = from; end < made.length; end++) {
    for (const call of made[end] ?? []) add(call);
    if (columnOf.size < turn.length) continue;
    for (const [call, item] of columnOf) partners[turn[item] as number] = call;
    return end + 1;
  }
  return undefined;
}

/** Matches turn by turn. The partners come from the alignment that leaves the fewest calls unpaired. */
function matchTurns({ expected, made, fits }: Sides): SequenceMatch {
  const partners = new Array<number>(expected.flat().length).fill(-1);
  const paired = (row: number, column: number) => {
    const [turn, calls] = [expected[row] ?? [], made[column] ?? []];
    return matchMost(turn.length, calls.length, (item, call) => fits(turn[item] as number, calls[call] as number));
  };
  for (const [row, column] of align(expected.length, made.length, (r, c) => paired(r, c).size)) {
    const turn = expected[row] ?? [];
    paired(row, column).rows.forEach((call, item) => {
      if (call >= 0) partners[turn[item] as number] = made[column]?.[call] as number;
    });
  }
  const isMatch =
    expected.length === made.length &&
    expected.every((turn, index) => turn.length === made[index]?.length && paired(index, index).size === turn.length);
  return { isMatch, partners };
}

/** Finds the ordered alignment with the highest total worth. With worths of 0 and 1, a longest common subsequence. */
function align(rows: number, columns: number, worth: (row: number, column: number) => number): [number, number][] {
  const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1));
  const at = (row: number, column: number): number => best[row]?.[column] ?? 0;
  const worths = new Map<number, number>();
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const own = worth(row, column);
      if (own > 0) worths.set(row * columns + column, own);
      (best[row] as Float64Array)[column] = Math.max(
        at(row + 1, column),
        at(row, column + 1),
        own === 0 ? 0 : own + at(row + 1, column + 1),
      );
    }
  }
  const pairs: [number, number][] = [];
  for (let [row, column] = [0, 0]; row < rows && column < columns;) {
    const own = worths.get(row * columns + column) ?? 0;
    if (own > 0 && at(row, column) === own + at(row + 1, column + 1)) pairs.push([row++, column++]);
    else if (at(row, column) === at(row + 1, column)) row++;
    else column++;
  }
  return pairs;
}
