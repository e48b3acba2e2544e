// A table of expected and actual calls side by side, for the message of a failure.

import { plural } from "../../../core/index.js";
import type { ArgumentDifference } from "../arguments.js";
import { differenceLines } from "../expected-call.js";
import type { MatcherContext } from "../matcher.js";
import type { SequenceMode } from "./spec.js";

/** `free` marks a further or missing call that the mode allows. */
export type RowState = "same" | "changed" | "missing" | "extra" | "free";

/** One row: the index in each list. At least one is set. */
export interface Row {
  state: RowState;
  expected?: number;
  made?: number;
}

const SHOWN_ROWS = 40;
const SHOWN_WIDTH = 60;

/**
 * Builds the rows in the order of the run, each unmatched expected call at its expected place. `isNamesake` is true for two
 * calls of one tool. Two unmatched namesakes make one changed call.
 */
export function toRows(
  partners: readonly number[],
  calls: number,
  mode: SequenceMode,
  isNamesake: (expected: number, made: number) => boolean,
): Row[] {
  const expectedOf = new Map(partners.flatMap((made, expected) => (made < 0 ? [] : [[made, expected] as const])));
  const open = new Set(partners.flatMap((made, expected) => (made < 0 ? [expected] : [])));
  const changed = new Map<number, number>();
  for (const expected of open) {
    const made = nearestNamesake(expected, partners, calls, (call) => {
      return !expectedOf.has(call) && !changed.has(call) && isNamesake(expected, call);
    });
    if (made !== undefined) changed.set(made, expected);
  }
  for (const expected of changed.values()) open.delete(expected);
  const rows: Row[] = [];
  const missing = (expected: number): Row => ({ state: mode === "subset" ? "free" : "missing", expected });
  for (let made = 0; made < calls; made++) {
    const expected = expectedOf.get(made) ?? changed.get(made);
    if (expected === undefined) {
      rows.push({ state: mode === "superset" || mode === "in_order" ? "free" : "extra", made });
      continue;
    }
    for (const earlier of [...open].filter((item) => item < expected)) {
      open.delete(earlier);
      rows.push(missing(earlier));
    }
    rows.push({ state: expectedOf.has(made) ? "same" : "changed", expected, made });
  }
  return [...rows, ...[...open].map(missing)];
}

/** The first free call after the previous expected call's partner, or the first free call of all. */
function nearestNamesake(
  expected: number,
  partners: readonly number[],
  calls: number,
  isFree: (made: number) => boolean,
): number | undefined {
  const behind = (partners.slice(0, expected).findLast((made) => made >= 0) ?? -1) + 1;
  const order = [...Array(calls).keys()];
  return [...order.slice(behind), ...order.slice(0, behind)].find(isFree);
}

export interface Cells {
  expected: (index: number) => string;
  made: (index: number) => string;
  differences: (expected: number, made: number) => readonly ArgumentDifference[];
}

const SIGNS: Readonly<Record<RowState, string>> = { same: " ", changed: "~", missing: "-", extra: "+", free: " " };

/** Formats two columns, with mismatches coloured. A long table starts shortly before its first mismatch. */
export function tableText({ utils }: MatcherContext, rows: readonly Row[], cells: Cells): string {
  const plain = (text: string): string => text;
  const { EXPECTED_COLOR: green = plain, RECEIVED_COLOR: red = plain } = utils;
  const firstFault = rows.findIndex(({ state }) => state !== "same" && state !== "free");
  const start = rows.length <= SHOWN_ROWS ? 0 : Math.max(0, Math.min(firstFault - 3, rows.length - SHOWN_ROWS));
  const shown = rows.slice(start, start + SHOWN_ROWS).map((row) => ({
    ...row,
    left: row.expected === undefined ? "" : cells.expected(row.expected),
    right: row.made === undefined ? "" : cells.made(row.made),
  }));
  const width = Math.min(SHOWN_WIDTH, Math.max("expected".length, ...shown.map(({ left }) => left.length)));
  const lines = shown.flatMap(({ state, expected, made, left, right }) => {
    const isFault = state !== "same" && state !== "free";
    const cell = left.padEnd(width);
    // An empty cell gets no colour codes, which would end up at the end of the line.
    const other = right === "" ? "" : ` ${isFault ? red(right) : right}`;
    const line = `  ${SIGNS[state]} ${isFault && left !== "" ? green(cell) : cell} │${other}`;
    if (state !== "changed" || expected === undefined || made === undefined) return [line];
    return [line, ...differenceLines(cells.differences(expected, made)).map((text) => `  ${text}`)];
  });
  const rest = rows.length - start - shown.length;
  return [
    `    ${"expected".padEnd(width)} │ actual`,
    ...(start > 0 ? [`    ${plural(start, "earlier row")}`] : []),
    ...lines,
    ...(rest > 0 ? [`    and ${plural(rest, "more row")}`] : []),
  ].join("\n");
}
