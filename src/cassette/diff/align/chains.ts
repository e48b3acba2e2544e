// Finds calls that swapped places. The edit script may pair `f(1)` with `f(2)` and elsewhere `f(2)` with `f(1)` as changed, though
// only the order did. Changed pairs are read as steps from an old key to a new key. Where steps close a cycle, or lead from an
// added item to a removed one, every item in them has its equal on the other side.

import type { Match } from "./match.js";
import type { Item } from "./sets.js";

type Step<T> = Extract<Match<T>, { kind: "changed" }>;

/** Splits changed pairs into a removed and an added item where all of them can then be paired by key: in cycles and in chains. */
export function dissolveChains<T extends Item>(matches: readonly Match<T>[]): Match<T>[] {
  const steps = matches.filter((match) => match.kind === "changed");
  const search = createSearch(steps);
  const added = countKeys(matches.flatMap((match) => (match.kind === "added" ? [match.new] : [])));
  const removed = countKeys(matches.flatMap((match) => (match.kind === "removed" ? [match.old] : [])));

  for (const step of steps) {
    if (search.taken.has(step)) continue;
    search.taken.add(step);
    const onward = search.forward(step.new.key, (key) => (removed.get(key) ?? 0) > 0);
    const back = onward && search.backward(step.old.key, (key) => (added.get(key) ?? 0) > 0);
    if (back !== undefined) {
      decrement(removed, (onward?.at(-1) ?? step).new.key);
      decrement(added, (back.at(-1) ?? step).old.key);
      continue;
    }
    onward?.forEach((taken) => search.taken.delete(taken));
    if (search.forward(step.new.key, (key) => key === step.old.key) === undefined) search.taken.delete(step);
  }
  return matches.flatMap((match): Match<T>[] => {
    if (match.kind !== "changed" || !search.taken.has(match)) return [match];
    return [
      { kind: "removed", old: match.old },
      { kind: "added", new: match.new },
    ];
  });
}

function countKeys(items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of items) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function decrement(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) - 1);
}

type Find<T> = (from: string, isGoal: (key: string) => boolean) => Step<T>[] | undefined;

/** Finds the shortest way over steps not yet taken, and takes its steps. */
function createSearch<T extends Item>(
  steps: readonly Step<T>[],
): { taken: Set<Step<T>>; forward: Find<T>; backward: Find<T> } {
  const taken = new Set<Step<T>>();
  const find = (start: (step: Step<T>) => string, end: (step: Step<T>) => string): Find<T> => {
    const leaving = new Map<string, Step<T>[]>(steps.map((step) => [start(step), []]));
    for (const step of steps) leaving.get(start(step))?.push(step);
    return (from, isGoal) => {
      const reachedBy = new Map<string, Step<T> | undefined>([[from, undefined]]);
      for (const key of reachedBy.keys()) {
        if (isGoal(key)) {
          const way: Step<T>[] = [];
          for (let step = reachedBy.get(key); step !== undefined; step = reachedBy.get(start(step))) way.unshift(step);
          for (const step of way) taken.add(step);
          return way;
        }
        for (const step of leaving.get(key) ?? []) {
          if (!taken.has(step) && !reachedBy.has(end(step))) reachedBy.set(end(step), step);
        }
      }
      return undefined;
    };
  };
  const oldKey = (step: Step<T>): string => step.old.key;
  const newKey = (step: Step<T>): string => step.new.key;
  return { taken, forward: find(oldKey, newKey), backward: find(newKey, oldKey) };
}
