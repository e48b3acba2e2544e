// An optimal edit script between two sequences of sets. Dynamic programming over pairs of sets, in linear memory by
// D. S. Hirschberg (CACM 18, 1975), and only near the diagonal by E. Ukkonen (Information and Control 64, 1985): a script of
// t edits never leaves a band of t + 1 diagonals. Time O(n·d) for d edits, memory O(n + m). Prices: price.ts.
//
// Among the cheapest scripts, one with the most equal items is taken, so that the `f(2)` stays in `f(1) f(2)` against
// `f(2) f(3)`. Equal items at the ends of a stretch stay there.

import { CassetteError } from "../../errors.js";
import { MAX_ALIGNMENT_CELLS } from "../../limits.js";
import { createTables, leastCost, type Tables } from "./price.js";
import type { ItemSet, Terms } from "./sets.js";

/** One step from the old sequence to the new; `old` and `new` are indices. Steps come in the order of both sequences. */
export type Step =
  { kind: "pair"; old: number; new: number } | { kind: "remove"; old: number } | { kind: "add"; new: number };

export interface Alignment {
  /** The smallest number of edits of single items. It is the same with the sides swapped, unless additions are free. */
  cost: number;
  steps: Step[];
  /** Pairs of sets that were compared: a measure of the work, the same on every machine. */
  cells: number;
}

/** The width of the first band; a narrower one would save nothing. */
const FIRST_BAND = 16;

/** The cheapest edit script from `a` to `b`; the same input gives the same script. Throws "diff-too-large". */
export function align<T extends ItemSet>(a: readonly T[], b: readonly T[], terms: Terms = {}): Alignment {
  const tables = createTables(a, b, terms);
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && tables.old.sets[head] === tables.new.sets[head]) head++;
  let tail = 0;
  while (tail < shorter - head && tables.old.sets[a.length - 1 - tail] === tables.new.sets[b.length - 1 - tail]) tail++;

  const steps: Step[] = [];
  for (let index = 0; index < head; index++) steps.push({ kind: "pair", old: index, new: index });
  const middle: Span = { oldFrom: head, oldTo: a.length - tail, newFrom: head, newTo: b.length - tail };
  const least = leastCost(a.slice(head, middle.oldTo), b.slice(head, middle.newTo), terms);
  const problem = createProblem(tables, middle, terms);
  const cost = alignMiddle(problem, middle, least, (step) => steps.push(step));
  for (let left = tail; left > 0; left--) steps.push({ kind: "pair", old: a.length - left, new: b.length - left });
  return { cost, steps, cells: problem.cells };
}

interface Problem {
  tables: Tables;
  height: number;
  width: number;
  /** The price of an edit. Each equal pair costs -1, and all of them together outweigh less than one edit. */
  unit: number;
  addition: number;
  /** The diagonals (new index minus old index) that are searched. */
  band: { low: number; high: number };
  cells: number;
}

interface Span {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

function createProblem(tables: Tables, { oldFrom, oldTo, newFrom, newTo }: Span, terms: Terms): Problem {
  const [height, width] = [oldTo - oldFrom, newTo - newFrom];
  const unit = Math.min(sum(tables.old.sizes), sum(tables.new.sizes)) + 1;
  const addition = terms.freeAdditions === true ? 0 : unit;
  return { tables, height, width, unit, addition, band: { low: -height, high: width }, cells: 0 };
}

function sum(list: Int32Array): number {
  return list.reduce((total, value) => total + value, 0);
}

/** Widens the band until it is sure to contain the cheapest script, then follows that script. Returns its edits. */
function alignMiddle(problem: Problem, whole: Span, least: number, emit: (step: Step) => void): number {
  const { height, width, unit } = problem;
  const middle = whole.oldFrom + (height >> 1);
  let most = Math.max(least, Math.abs(width - height), FIRST_BAND);
  for (;;) {
    // A script at diagonal k has k more additions than removals, and must return to the last diagonal.
    const last = width - height;
    if (problem.addition > 0) {
      problem.band = { low: -Math.floor((most - last) / 2), high: Math.floor((most + last) / 2) };
    }
    assertSize(problem);
    const { split, price } = cheapestSplit(problem, whole, middle);
    const edits = Math.max(0, Math.ceil(price / unit));
    if (edits > most && (problem.band.low > -height || problem.band.high < width)) {
      most = Math.min(2 * most, edits);
      continue;
    }
    if (height < 2 || width === 0) solve(problem, whole, emit);
    else {
      solve(problem, { ...whole, oldTo: middle, newTo: split }, emit);
      solve(problem, { ...whole, oldFrom: middle, newFrom: split }, emit);
    }
    return edits;
  }
}

function assertSize({ height, width, band }: Problem): void {
  if (height * Math.min(width, band.high - band.low + 1) <= MAX_ALIGNMENT_CELLS) return;
  const what = `${height} against ${width} steps differ, which is more than ${MAX_ALIGNMENT_CELLS} pairs to compare`;
  const hint =
    "Compare shorter recordings, or leave out volatile arguments with `ignore` so that more steps are equal.";
  throw new CassetteError("diff-too-large", what, { hint });
}

/** Pairs the old half up to the middle with the cheapest part of the new side, the rest with the rest. Equal ends cost nothing. */
function solve(problem: Problem, { oldFrom, oldTo, newFrom, newTo }: Span, emit: (step: Step) => void): void {
  const { old, new: now } = problem.tables;
  while (oldFrom < oldTo && newFrom < newTo && old.sets[oldFrom] === now.sets[newFrom]) {
    emit({ kind: "pair", old: oldFrom++, new: newFrom++ });
  }
  let tail = 0;
  while (oldFrom < oldTo && newFrom < newTo && old.sets[oldTo - 1] === now.sets[newTo - 1]) {
    [oldTo, newTo, tail] = [oldTo - 1, newTo - 1, tail + 1];
  }
  if (newFrom === newTo) {
    for (let index = oldFrom; index < oldTo; index++) emit({ kind: "remove", old: index });
  } else if (oldTo - oldFrom <= 1) {
    solveRow(problem, { oldFrom, oldTo, newFrom, newTo }, emit);
  } else {
    const middle = oldFrom + ((oldTo - oldFrom) >> 1);
    const { split } = cheapestSplit(problem, { oldFrom, oldTo, newFrom, newTo }, middle);
    solve(problem, { oldFrom, oldTo: middle, newFrom, newTo: split }, emit);
    solve(problem, { oldFrom: middle, oldTo, newFrom: split, newTo }, emit);
  }
  for (let index = 0; index < tail; index++) emit({ kind: "pair", old: oldTo + index, new: newTo + index });
}

/** Solves a span with at most one old set. Its partner is the one that saves the most, the last among several. */
function solveRow(problem: Problem, { oldFrom, oldTo, newFrom, newTo }: Span, emit: (step: Step) => void): void {
  const { tables, unit, addition } = problem;
  let [partner, saved] = [-1, 0];
  for (let index = newFrom; oldFrom < oldTo && index < newTo; index++) {
    const apart = at(tables.old.sizes, oldFrom) * unit + at(tables.new.sizes, index) * addition;
    const saving = apart - pairCost(problem, oldFrom, index);
    if (saving > 0 && saving >= saved) [partner, saved] = [index, saving];
  }
  if (oldFrom < oldTo && partner < 0) emit({ kind: "remove", old: oldFrom });
  for (let index = newFrom; index < newTo; index++) {
    emit(index === partner ? { kind: "pair", old: oldFrom, new: index } : { kind: "add", new: index });
  }
}

/** Where to split the new sets for the old ones before `middle`; the first of equally cheap splits. */
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

/** The prices of turning the old sets into the first (step -1: last) 0, 1, 2 … new ones; infinite outside the band. */
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

function isOtherName(name: number, other: number): boolean {
  return name !== other && name >= 0 && other >= 0;
}

function at(row: Float64Array | Int32Array, index: number): number {
  return row[index] as number;
}
