// Finds calls that one run makes in one turn and the other one after another. Each such turn is one drift, instead of moves.

import type { Match, PairMatch } from "../align/match.js";
import type { Item, ItemSet } from "../align/sets.js";

/** The items of one set on one side that are several sets, right after each other, on the other side. */
export interface Regrouping<T> {
  kind: "parallelised" | "serialised";
  pairs: { old: T; new: T }[];
}

/** Finds regroupings, and turns the moves that they explain into matches of the same call. */
export function findRegroupings<T extends Item>(
  matches: readonly Match<T>[],
  old: readonly ItemSet<T>[],
  now: readonly ItemSet<T>[],
): { matches: Match<T>[]; regroupings: Regrouping<T>[] } {
  const paired = matches.filter((match): match is PairMatch<T> => "old" in match && "new" in match);
  const [oldSetOf, newSetOf] = [indicesOf(old), indicesOf(now)];
  const from = (match: PairMatch<T>) => oldSetOf.get(match.old) ?? -1;
  const to = (match: PairMatch<T>) => newSetOf.get(match.new) ?? -1;
  const groups = [
    ...splits(paired, from, to).map((group) => ({ kind: "serialised" as const, group })),
    ...splits(paired, to, from).map((group) => ({ kind: "parallelised" as const, group })),
  ];
  const explained = new Set<Match<T>>(groups.flatMap(({ group }) => group));
  return {
    regroupings: groups.map(({ kind, group }) => ({
      kind,
      pairs: group.map((match) => ({ old: match.old, new: match.new })),
    })),
    matches: matches.map((match) =>
      match.kind === "moved" && explained.has(match) ? { kind: "same", old: match.old, new: match.new } : match,
    ),
  };
}

function indicesOf<T extends Item>(sets: readonly ItemSet<T>[]): Map<T, number> {
  return new Map(sets.flatMap((set, index) => set.map((item) => [item, index] as const)));
}

/**
 * For each set of `one` side, the pairs that lead into two or more neighbouring sets of the other side which hold items of no
 * other set. At least one of the pairs must not be a move, so that the sets stand in their order.
 */
function splits<T>(
  paired: readonly PairMatch<T>[],
  one: (match: PairMatch<T>) => number,
  other: (match: PairMatch<T>) => number,
): PairMatch<T>[][] {
  const origins = new Map<number, Set<number>>();
  const targets = new Map<number, Map<number, PairMatch<T>[]>>();
  for (const match of paired) {
    const [from, to] = [one(match), other(match)];
    origins.set(to, (origins.get(to) ?? new Set()).add(from));
    const into = targets.get(from) ?? new Map<number, PairMatch<T>[]>();
    into.set(to, [...(into.get(to) ?? []), match]);
    targets.set(from, into);
  }
  return [...targets.values()].flatMap((into) => {
    const own = [...into.keys()].filter((to) => origins.get(to)?.size === 1).sort((x, y) => x - y);
    return runsOf(own)
      .filter((run) => run.length > 1)
      .map((run) => run.flatMap((to) => into.get(to) ?? []))
      .filter((group) => group.some(({ kind }) => kind !== "moved"));
  });
}

/** Sorted numbers as stretches without a gap. */
function runsOf(sorted: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const value of sorted) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === value - 1) run.push(value);
    else runs.push([value]);
  }
  return runs;
}
