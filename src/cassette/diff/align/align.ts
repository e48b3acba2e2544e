// An optimal edit script between two sequences of sets. Dynamic programming over pairs of sets, in linear memory by
// D. S. Hirschberg (CACM 18, 1975), and only near the diagonal by E. Ukkonen (Information and Control 64, 1985): a script of
// t edits never leaves a band of t + 1 diagonals. Time O(n·d) for d edits, memory O(n + m). Prices: price.ts.
//
// Among the cheapest scripts one with the most equal items is taken, so that in `f(1) f(2)` against `f(2) f(3)` the `f(2)`
// stays; and what is equal at the ends of a stretch stays there.

import { CassetteError } from "../../errors.js";
import { createTables, leastCost, type Tables } from "./price.js";
import type { ItemSet, Terms } from "./sets.js";

/** One step from the old sequence to the new; `old` and `new` are indices. Steps come in the order of both sequences. */
export type Step =
  { kind: "pair"; old: number; new: number } | { kind: "remove"; old: number } | { kind: "add"; new: number };

export interface Alignment {
  /** Edits of single items: the least there can be. With the sides swapped it is the same, unless additions are free. */
  cost: number;
  steps: Step[];
  /** Pairs of sets that were looked at: a measure of the work, the same on every machine. */
  cells: number;
}

/** Pairs of sets between the first and the last difference; beyond it a comparison would take many seconds. */
export const MAX_CELLS = 400_000_000;

/** The narrowest band that is tried; narrower ones would save nothing. */
const FIRST_BAND = 16;

/** The cheapest edit script from `a` to `b`; the same input gives the same script. Throws "diff-too-large". */
export function align<T extends ItemSet>(a: readonly T[], b: readonly T[], terms: Terms = {}): Alignment {
  const all = createTables(a, b, terms);
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && all.old.sets[head] === all.new.sets[head]) head++;
  let tail = 0;
  while (tail < shorter - head && all.old.sets[a.length - 1 - tail] === all.new.sets[b.length - 1 - tail]) tail++;

  const steps: Step[] = [];
  for (let index = 0; index < head; index++) steps.push({ kind: "pair", old: index, new: index });
  const [old, now] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const { edits, cells } = alignMiddle(createProblem(old, now, terms), leastCost(old, now, terms), (step) =>
    steps.push(shifted(step, head)),
  );
  for (let left = tail; left > 0; left--) steps.push({ kind: "pair", old: a.length - left, new: b.length - left });
  return { cost: edits, steps, cells };
}

function shifted(step: Step, by: number): Step {
  switch (step.kind) {
    case "pair":
      return { kind: "pair", old: step.old + by, new: step.new + by };
    case "remove":
      return { kind: "remove", old: step.old + by };
    case "add":
      return { kind: "add", new: step.new + by };
  }
}

interface Problem {
  tables: Tables;
  height: number;
  width: number;
  /** The price of an edit. A pair that is the same costs -1, and all of them together less than one edit. */
  unit: number;
  /** The price of an added item. */
  addition: number;
  /** Diagonals (new less old) that are looked at. */
  band: { low: number; high: number };
  cells: number;
}

interface Span {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

function createProblem(old: readonly ItemSet[], now: readonly ItemSet[], terms: Terms): Problem {
  const tables = createTables(old, now, terms);
  const unit = Math.min(sum(tables.old.sizes), sum(tables.new.sizes)) + 1;
  return {
    tables,
    height: old.length,
    width: now.length,
    unit,
    addition: terms.freeAdditions === true ? 0 : unit,
    band: { low: -old.length, high: now.length },
    cells: 0,
  };
}

function sum(list: Int32Array): number {
  return list.reduce((total, value) => total + value, 0);
}

/** Widens the band until it is sure to hold the cheapest script, then follows that one. */
function alignMiddle(problem: Problem, least: number, tell: (step: Step) => void): { edits: number; cells: number } {
  const { height, width, unit } = problem;
  const whole: Span = { oldFrom: 0, oldTo: height, newFrom: 0, newTo: width };
  const middle = height >> 1;
  let most = Math.max(least, Math.abs(width - height), FIRST_BAND);
  for (;;) {
    if (problem.addition > 0) setBand(problem, most);
    assertSize(problem);
    const { split, price } = cheapestSplit(problem, whole, middle);
    const edits = Math.max(0, Math.ceil(price / unit));
    if (edits > most && !isWhole(problem)) {
      most = Math.min(2 * most, edits);
      continue;
    }
    if (height < 2 || width === 0) solve(problem, whole, tell);
    else {
      solve(problem, { ...whole, oldTo: middle, newTo: split }, tell);
      solve(problem, { ...whole, oldFrom: middle, newFrom: split }, tell);
    }
    return { edits, cells: problem.cells };
  }
}

/** A script at diagonal k has k additions more than removals, and must come back to the last diagonal. */
function setBand(problem: Problem, most: number): void {
  const last = problem.width - problem.height;
  problem.band = { low: -Math.floor((most - last) / 2), high: Math.floor((most + last) / 2) };
}

function isWhole({ band, height, width }: Problem): boolean {
  return band.low <= -height && band.high >= width;
}

function assertSize({ height, width, band }: Problem): void {
  if (height * Math.min(width, band.high - band.low + 1) <= MAX_CELLS) return;
  throw new CassetteError(
    "diff-too-large",
    `${height} against ${width} steps differ, which is more than ${MAX_CELLS} pairs to look at`,
    { hint: "Compare shorter recordings, or leave volatile arguments out with `ignore` so that more steps are equal." },
  );
}

/**
 * Divide: the old half up to the middle is paired with the cheapest part of the new side, the rest with the rest. Equal ends
 * are paired first, which no cheapest script needs to do otherwise.
 */
function solve(problem: Problem, { oldFrom, oldTo, newFrom, newTo }: Span, tell: (step: Step) => void): void {
  const { old, new: now } = problem.tables;
  while (oldFrom < oldTo && newFrom < newTo && old.sets[oldFrom] === now.sets[newFrom]) {
    tell({ kind: "pair", old: oldFrom++, new: newFrom++ });
  }
  let tail = 0;
  while (oldFrom < oldTo && newFrom < newTo && old.sets[oldTo - 1] === now.sets[newTo - 1]) {
    [oldTo, newTo, tail] = [oldTo - 1, newTo - 1, tail + 1];
  }
  if (newFrom === newTo) {
    for (let index = oldFrom; index < oldTo; index++) tell({ kind: "remove", old: index });
  } else if (oldTo - oldFrom <= 1) {
    solveRow(problem, { oldFrom, oldTo, newFrom, newTo }, tell);
  } else {
    const middle = oldFrom + ((oldTo - oldFrom) >> 1);
    const { split } = cheapestSplit(problem, { oldFrom, oldTo, newFrom, newTo }, middle);
    solve(problem, { oldFrom, oldTo: middle, newFrom, newTo: split }, tell);
    solve(problem, { oldFrom: middle, oldTo, newFrom: split, newTo }, tell);
  }
  for (let index = 0; index < tail; index++) tell({ kind: "pair", old: oldTo + index, new: newTo + index });
}

/** At most one old set: its partner is the one that saves the most, the last among several. */
function solveRow(problem: Problem, { oldFrom, oldTo, newFrom, newTo }: Span, tell: (step: Step) => void): void {
  const { tables, unit, addition } = problem;
  let [partner, saved] = [-1, 0];
  for (let index = newFrom; oldFrom < oldTo && index < newTo; index++) {
    const apart = at(tables.old.sizes, oldFrom) * unit + at(tables.new.sizes, index) * addition;
    const saving = apart - pairCost(problem, oldFrom, index);
    if (saving > 0 && saving >= saved) [partner, saved] = [index, saving];
  }
  if (oldFrom < oldTo && partner < 0) tell({ kind: "remove", old: oldFrom });
  for (let index = newFrom; index < newTo; index++) {
    tell(index === partner ? { kind: "pair", old: oldFrom, new: index } : { kind: "add", new: index });
  }
}

/** How many new sets belong to the old ones before `middle`; the fewest, when several splits are equally cheap. */
function cheapestSplit(problem: Problem, span: Span, middle: number): { split: number; price: number } {
  const before = priceRow(problem, { ...span, oldTo: middle }, 1);
  const after = priceRow(problem, { ...span, oldFrom: middle }, -1);
  const width = span.newTo - span.newFrom;
  let best = 0;
  for (let index = 1; index <= width; index++) {
    if (at(before, index) + at(after, width - index) < at(before, best) + at(after, width - best)) best = index;
  }
  return { split: span.newFrom + best, price: at(before, best) + at(after, width - best) };
}

/**
 * The price of turning all old sets of the span into the first 0, 1, 2 … new ones, or, with step -1, into the last ones.
 * Outside the band it is infinite.
 */
function priceRow(problem: Problem, span: Span, step: 1 | -1): Float64Array {
  const { tables, unit, addition } = problem;
  const [width, height] = [span.newTo - span.newFrom, span.oldTo - span.oldFrom];
  const { sets, names, sizes } = tables.new;
  const row = new Float64Array(width + 1).fill(Infinity);
  const firstNew = step === 1 ? span.newFrom : span.newTo - 1;
  row[0] = 0;
  for (let index = 1, last = windowOf(problem, span, step, 0).last; index <= last; index++) {
    row[index] = at(row, index - 1) + at(tables.new.sizes, firstNew + step * (index - 1)) * addition;
  }
  for (let done = 1; done <= height; done++) {
    const old = step === 1 ? span.oldFrom + done - 1 : span.oldTo - done;
    const { first, last } = windowOf(problem, span, step, done);
    const removal = at(tables.old.sizes, old) * unit;
    const [set, name, equal] = [at(tables.old.sets, old), at(tables.old.names, old), -at(tables.old.sizes, old)];
    problem.cells += Math.max(0, last - first + 1);
    let diagonal = first > 0 ? at(row, first - 1) : Infinity;
    let left = Infinity;
    if (first > 0) row[first - 1] = Infinity;
    for (let index = first; index <= last; index++) {
      const above = at(row, index);
      let best = above + removal;
      if (index > 0) {
        const now = firstNew + step * (index - 1);
        const added = left + at(sizes, now) * addition;
        const paired =
          diagonal +
          (set === sets[now] ? equal : isOtherName(name, at(names, now)) ? Infinity : pairCost(problem, old, now));
        if (added < best) best = added;
        if (paired < best) best = paired;
      }
      diagonal = above;
      left = best;
      row[index] = best;
    }
  }
  return row;
}

/** The entries of a row that lie in the band when `done` old sets of the span are used up. */
function windowOf({ band }: Problem, span: Span, step: 1 | -1, done: number): { first: number; last: number } {
  const width = span.newTo - span.newFrom;
  const low = step === 1 ? span.oldFrom + done + band.low - span.newFrom : span.newTo - span.oldTo + done - band.high;
  const high = step === 1 ? span.oldFrom + done + band.high - span.newFrom : span.newTo - span.oldTo + done - band.low;
  return { first: Math.max(0, low), last: Math.min(width, high) };
}

/** Infinite where the two sets have nothing in common. */
function pairCost({ tables, unit }: Problem, old: number, now: number): number {
  if (tables.old.sets[old] === tables.new.sets[now]) return -at(tables.old.sizes, old);
  const name = at(tables.old.names, old);
  const other = at(tables.new.names, now);
  if (isOtherName(name, other)) return Infinity;
  if (name >= 0 && other >= 0 && !tables.hasAlike) return unit;
  const price = tables.pair(old, now);
  return price === undefined ? Infinity : price.edits * unit - price.same;
}

/** Two single items of different names. */
function isOtherName(name: number, other: number): boolean {
  return name !== other && name >= 0 && other >= 0;
}

function at(row: Float64Array | Int32Array, index: number): number {
  return row[index] as number;
}
