// Pairs the items of two runs: sets by the edit script, then items within the sets, then what `refine` improves. The script
// always starts from the same side, whichever is the old one, so that the reverse comparison gives the mirror image.

import { CassetteError } from "../../errors.js";
import { MAX_PAIRING_WORK } from "../../limits.js";
import { align, type Step } from "./align.js";
import { assign } from "./assign.js";
import { pairSame } from "./same.js";
import { groupBy, type Item, type ItemSet, type Terms } from "./sets.js";

export type PairMatch<T> =
  { kind: "same"; old: T; new: T } | { kind: "changed"; old: T; new: T } | { kind: "moved"; old: T; new: T };
export type Match<T> = PairMatch<T> | { kind: "removed"; old: T } | { kind: "added"; new: T };

export interface MatchOptions<T extends Item> {
  terms?: Terms<T>;
  /** How unlike two different items of one name are; items of two sets are paired by the least sum. */
  unlike?: (a: T, b: T) => number;
  refine?: Refine<T>;
}

export type Refine<T> = (
  script: Match<T>[],
  means: {
    /** True for items of two paired sets, or of neighbouring sets of which one is paired. */
    isNear: (old: T, now: T) => boolean;
    isSame: (old: T, now: T) => boolean;
    unlike: (old: T, now: T) => number;
  },
) => Match<T>[];

/** Matches each item of both sides once, in the order of the new run, with removed items at their old place. */
export function matchItems<T extends Item>(
  old: readonly ItemSet<T>[],
  now: readonly ItemSet<T>[],
  { terms = {}, unlike = () => 0, refine = (script) => script }: MatchOptions<T> = {},
): { matches: Match<T>[]; steps: Step[] } {
  const swapped = terms.freeAdditions !== true && comesAfter(old, now);
  const [left, right] = swapped ? [now, old] : [old, now];
  const { steps } = align(left, right, terms as Terms);
  const isSame = (x: T, y: T) => x.key === y.key || terms.isAlike?.(x, y) === true;
  const isNear = nearnessOf(left, right, steps);
  const found = refine(scriptOf(left, right, steps, terms, unlike), { isNear, isSame, unlike });
  const ordered = removalsFirst(swapped ? steps.map(mirrorStep) : steps);
  return { matches: inOrder(swapped ? found.map(mirror) : found, old, now, ordered), steps: ordered };
}

/** True when the new side must be aligned as the old one: it has more items, else more sets, else smaller keys. */
function comesAfter(a: readonly ItemSet[], b: readonly ItemSet[]): boolean {
  const [left, right] = [a.flat(), b.flat()];
  if (left.length !== right.length) return left.length < right.length;
  if (a.length !== b.length) return a.length < b.length;
  const sized = a.findIndex((set, position) => set.length !== b[position]?.length);
  if (sized >= 0) return (a[sized]?.length ?? 0) < (b[sized]?.length ?? 0);
  const index = left.findIndex((item, position) => item.key !== right[position]?.key);
  return index >= 0 && (left[index]?.key ?? "") > (right[index]?.key ?? "");
}

function scriptOf<T extends Item>(
  old: readonly ItemSet<T>[],
  now: readonly ItemSet<T>[],
  steps: readonly Step[],
  terms: Terms<T>,
  unlike: (a: T, b: T) => number,
): Match<T>[] {
  return steps.flatMap((step): Match<T>[] => {
    switch (step.kind) {
      case "pair":
        return matchSets(old[step.old] as ItemSet<T>, now[step.new] as ItemSet<T>, terms, unlike);
      case "remove":
        return (old[step.old] as ItemSet<T>).map((item) => ({ kind: "removed", old: item }));
      case "add":
        return (now[step.new] as ItemSet<T>).map((item) => ({ kind: "added", new: item }));
    }
  });
}

/** Matches the items of two paired sets: first equal items, then by name those that are least unlike. */
function matchSets<T extends Item>(
  old: ItemSet<T>,
  now: ItemSet<T>,
  { isAlike }: Terms<T>,
  unlike: (a: T, b: T) => number,
): Match<T>[] {
  const matches: Match<T>[] = [];
  const partners = pairSame(old, now, isAlike);
  const taken = new Set(partners);
  partners.forEach((partner, index) => {
    if (partner >= 0) matches.push({ kind: "same", old: old[index] as T, new: now[partner] as T });
  });
  const nameOf = ({ name }: Item): string => name;
  const left = groupBy<T, string>(
    old.filter((_, index) => (partners[index] ?? -1) < 0),
    nameOf,
  );
  const right = groupBy<T, string>(
    now.filter((_, index) => !taken.has(index)),
    nameOf,
  );
  for (const [name, items] of left) {
    const others = right.get(name) ?? [];
    right.delete(name);
    matches.push(...matchChanged(items, others, unlike));
  }
  for (const items of right.values()) for (const item of items) matches.push({ kind: "added", new: item });
  return matches;
}

function matchChanged<T extends Item>(
  old: readonly T[],
  now: readonly T[],
  unlike: (a: T, b: T) => number,
): Match<T>[] {
  assertPairable(old, now);
  const costs = new Float64Array(old.length * now.length);
  if (costs.length > 1) {
    old.forEach((item, row) => {
      now.forEach((other, column) => (costs[row * now.length + column] = unlike(item, other)));
    });
  }
  const partners = assign(old.length, now.length, (row, column) => costs[row * now.length + column] as number);
  const taken = new Set(partners);
  return [
    ...old.map((item, index): Match<T> => {
      const partner = now[partners[index] ?? -1];
      return partner === undefined ? { kind: "removed", old: item } : { kind: "changed", old: item, new: partner };
    }),
    ...now.flatMap((item, index): Match<T>[] => (taken.has(index) ? [] : [{ kind: "added", new: item }])),
  ];
}

function assertPairable(old: readonly Item[], now: readonly Item[]): void {
  const [fewer, more] = [Math.min(old.length, now.length), Math.max(old.length, now.length)];
  if (fewer * fewer * more <= MAX_PAIRING_WORK) return;
  const calls = `${old.length} calls of ${JSON.stringify(old[0]?.name)}`;
  const hint = "Compare in order, or leave out volatile arguments with `ignore` so that more calls are equal.";
  const what = `${calls} could be paired with ${now.length} others, which is too many`;
  throw new CassetteError("diff-too-large", what, { hint });
}

/** Gives each item the place of its step. Pairs of sets stand at even places, sets between two of them at the odd place. */
function nearnessOf<T extends Item>(
  old: readonly ItemSet<T>[],
  now: readonly ItemSet<T>[],
  steps: readonly Step[],
): (old: T, now: T) => boolean {
  const places = new Map<T, number>();
  let pairs = 0;
  for (const step of steps) {
    if (step.kind === "pair") pairs++;
    for (const item of itemsOf(step, old, now)) places.set(item, step.kind === "pair" ? 2 * pairs : 2 * pairs + 1);
  }
  return (one, other) => Math.abs((places.get(one) ?? 0) - (places.get(other) ?? 0)) <= 1;
}

/** The items of a step, those of the old side first. */
function itemsOf<T extends Item>(step: Step, old: readonly ItemSet<T>[], now: readonly ItemSet<T>[]): T[] {
  const before = step.kind === "add" ? [] : (old[step.old] as ItemSet<T>);
  return step.kind === "remove" ? [...before] : [...before, ...(now[step.new] as ItemSet<T>)];
}

/** Puts removals before additions between two pairs. */
function removalsFirst(steps: readonly Step[]): Step[] {
  const result: Step[] = [];
  let added: Step[] = [];
  for (const step of steps) {
    if (step.kind === "add") added.push(step);
    else {
      if (step.kind === "pair") {
        result.push(...added);
        added = [];
      }
      result.push(step);
    }
  }
  return [...result, ...added];
}

function inOrder<T extends Item>(
  matches: readonly Match<T>[],
  old: readonly ItemSet<T>[],
  now: readonly ItemSet<T>[],
  steps: readonly Step[],
): Match<T>[] {
  const places = new Map(steps.flatMap((step) => itemsOf(step, old, now)).map((item, place) => [item, place]));
  const placeOf = (match: Match<T>) => places.get("new" in match ? match.new : match.old) ?? 0;
  return [...matches].sort((x, y) => placeOf(x) - placeOf(y));
}

function mirrorStep(step: Step): Step {
  if (step.kind === "pair") return { kind: "pair", old: step.new, new: step.old };
  return step.kind === "remove" ? { kind: "add", new: step.old } : { kind: "remove", old: step.new };
}

function mirror<T>(match: Match<T>): Match<T> {
  if (match.kind === "removed") return { kind: "added", new: match.old };
  if (match.kind === "added") return { kind: "removed", old: match.new };
  return { kind: match.kind, old: match.new, new: match.old };
}
