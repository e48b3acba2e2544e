// An optimal edit script between two sequences: D. S. Hirschberg, "A linear space algorithm for computing maximal common
// subsequences" (CACM 18, 1975), with a price list of its own. Time O(n·m), memory O(n + m).
//
// Equal keys cost 0, equal names with other keys 1, a removal or an addition 1; different names never pair. Among the
// cheapest scripts one with the most equal pairs is taken, so that in `f(1) f(2)` against `f(2) f(3)` the `f(2)` stays.

import { CassetteError } from "../errors.js";

export interface Keyed {
  /** Identity: equal keys are the same thing. */
  key: string;
  /** Kinship: things of one name may have changed into each other. */
  name: string;
}

/** One step from the old sequence to the new; `old` and `new` are indices. Steps come in the order of both sequences. */
export type Edit =
  | { kind: "keep"; old: number; new: number }
  | { kind: "change"; old: number; new: number }
  | { kind: "remove"; old: number }
  | { kind: "add"; new: number };

export interface Alignment {
  /** The number of edits that are no "keep": the least there can be, and the same with the sides swapped. */
  cost: number;
  edits: Edit[];
}

/** Cells of the table between the first and the last difference; beyond it a comparison would take many seconds. */
export const MAX_CELLS = 400_000_000;

/** The cheapest edit script from `a` to `b`; the same input gives the same script. Throws "diff-too-large". */
export function align(a: readonly Keyed[], b: readonly Keyed[]): Alignment {
  const forward = intern(a, b);
  const { oldKeys, newKeys } = forward;
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && oldKeys[head] === newKeys[head]) head++;
  let tail = 0;
  while (tail < shorter - head && oldKeys[a.length - 1 - tail] === newKeys[b.length - 1 - tail]) tail++;

  const middle: Span = { oldFrom: head, oldTo: a.length - tail, newFrom: head, newTo: b.length - tail };
  const [height, width] = [middle.oldTo - middle.oldFrom, middle.newTo - middle.newFrom];
  assertSize(height, width);

  const edits: Edit[] = [];
  for (let index = 0; index < head; index++) edits.push({ kind: "keep", old: index, new: index });
  solve({ forward, backward: reversed(forward), unit: Math.min(height, width) + 1 }, middle, edits);
  for (let left = tail; left > 0; left--) edits.push({ kind: "keep", old: a.length - left, new: b.length - left });
  return { cost: edits.filter((edit) => edit.kind !== "keep").length, edits };
}

/** Keys and names as small integers. */
interface Tables {
  oldKeys: Int32Array;
  oldNames: Int32Array;
  newKeys: Int32Array;
  newNames: Int32Array;
}

interface Problem {
  forward: Tables;
  /** The same, last step first. */
  backward: Tables;
  /** The price of an edit. An equal pair costs -1, and all of them together less than one edit. */
  unit: number;
}

interface Span {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

function intern(a: readonly Keyed[], b: readonly Keyed[]): Tables {
  const keys = new Map<string, number>();
  const names = new Map<string, number>();
  return {
    oldKeys: Int32Array.from(a, (item) => numberOf(keys, item.key)),
    oldNames: Int32Array.from(a, (item) => numberOf(names, item.name)),
    newKeys: Int32Array.from(b, (item) => numberOf(keys, item.key)),
    newNames: Int32Array.from(b, (item) => numberOf(names, item.name)),
  };
}

function reversed({ oldKeys, oldNames, newKeys, newNames }: Tables): Tables {
  return {
    oldKeys: oldKeys.slice().reverse(),
    oldNames: oldNames.slice().reverse(),
    newKeys: newKeys.slice().reverse(),
    newNames: newNames.slice().reverse(),
  };
}

function numberOf(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, numbers.size);
  return numbers.size - 1;
}

function assertSize(oldLength: number, newLength: number): void {
  if (oldLength * newLength <= MAX_CELLS) return;
  throw new CassetteError(
    "diff-too-large",
    `${oldLength} against ${newLength} steps differ, which is more than ${MAX_CELLS} pairs to look at`,
    { hint: "Compare shorter recordings, or leave volatile arguments out with `ignore` so that more steps are equal." },
  );
}

/** Divide: the old half up to the middle is paired with the cheapest part of the new side, the rest with the rest. */
function solve(problem: Problem, span: Span, edits: Edit[]): void {
  const { oldFrom, oldTo, newFrom, newTo } = span;
  if (newFrom === newTo) {
    for (let old = oldFrom; old < oldTo; old++) edits.push({ kind: "remove", old });
  } else if (oldTo - oldFrom <= 1) {
    solveRow(problem.forward, span, edits);
  } else {
    const middle = oldFrom + ((oldTo - oldFrom) >> 1);
    const split = newFrom + cheapestSplit(problem, span, middle);
    solve(problem, { oldFrom, oldTo: middle, newFrom, newTo: split }, edits);
    solve(problem, { oldFrom: middle, oldTo, newFrom: split, newTo }, edits);
  }
}

/** At most one old step: its partner is the last one with its key, else the last one with its name. */
function solveRow(tables: Tables, { oldFrom, oldTo, newFrom, newTo }: Span, edits: Edit[]): void {
  const { oldKeys, oldNames, newKeys, newNames } = tables;
  let partner = -1;
  if (oldFrom < oldTo) {
    for (let index = newTo - 1; index >= newFrom; index--) {
      if (oldKeys[oldFrom] === newKeys[index]) {
        partner = index;
        break;
      }
      if (partner < 0 && oldNames[oldFrom] === newNames[index]) partner = index;
    }
    if (partner < 0) edits.push({ kind: "remove", old: oldFrom });
  }
  for (let index = newFrom; index < newTo; index++) {
    if (index !== partner) edits.push({ kind: "add", new: index });
    else edits.push({ kind: oldKeys[oldFrom] === newKeys[index] ? "keep" : "change", old: oldFrom, new: index });
  }
}

/** How many new steps belong to the old steps before `middle`; the fewest, when several splits are equally cheap. */
function cheapestSplit({ forward, backward, unit }: Problem, span: Span, middle: number): number {
  const [height, length] = [forward.oldKeys.length, forward.newKeys.length];
  const before = priceRow(forward, { ...span, oldTo: middle }, unit);
  const after = priceRow(
    backward,
    {
      oldFrom: height - span.oldTo,
      oldTo: height - middle,
      newFrom: length - span.newTo,
      newTo: length - span.newFrom,
    },
    unit,
  );
  const width = span.newTo - span.newFrom;
  let best = 0;
  for (let index = 1; index <= width; index++) {
    if (at(before, index) + at(after, width - index) < at(before, best) + at(after, width - best)) best = index;
  }
  return best;
}

/** The price of turning all old steps of the span into the first 0, 1, 2 … new ones. Fits 31 bits below MAX_CELLS. */
function priceRow({ oldKeys, oldNames, newKeys, newNames }: Tables, span: Span, unit: number): Int32Array {
  const width = span.newTo - span.newFrom;
  const row = new Int32Array(width + 1);
  for (let index = 0; index <= width; index++) row[index] = index * unit;
  for (let old = span.oldFrom; old < span.oldTo; old++) {
    const key = oldKeys[old];
    const name = oldNames[old];
    let diagonal = at(row, 0);
    let left = diagonal + unit;
    row[0] = left;
    for (let index = 1, position = span.newFrom; index <= width; index++, position++) {
      const above = at(row, index);
      let best = (above < left ? above : left) + unit;
      if (newKeys[position] === key) best = Math.min(best, diagonal - 1);
      else if (newNames[position] === name) best = Math.min(best, diagonal + unit);
      diagonal = above;
      left = best;
      row[index] = best;
    }
  }
  return row;
}

function at(row: Int32Array, index: number): number {
  return row[index] as number;
}
