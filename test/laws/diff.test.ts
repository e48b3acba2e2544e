// Laws of the comparison of two runs, over small alphabets, so that equal, changed and moved calls all occur.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align, type Step } from "../../src/cassette/diff/align/align.js";
import { diffCassettes } from "../../src/cassette/diff/diff.js";
import type { Drift, DriftFact, DriftKind } from "../../src/cassette/diff/drift.js";
import { matchItems, type Match } from "../../src/cassette/diff/align/match.js";
import { pairMoves } from "../../src/cassette/diff/calls/moves.js";
import type { Item } from "../../src/cassette/diff/align/sets.js";
import { diffValues, firstDifference, type ValueChange } from "../../src/cassette/prompt/json-difference.js";
import { canonicalize, type JsonObject, type JsonValue } from "../../src/core/index.js";
import { runOf, type RunTurn } from "../cassette/diff/runs.js";

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

const keyed = fc
  .record({ name: fc.constantFrom("f", "g"), arg: fc.nat(3) })
  .map(({ name, arg }): Omit<Item, "turn"> => ({ key: `${name}${arg}`, name }));

/** Sets of one to three items, most of them of one. */
const sets = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.tuple(keyed) }, fc.array(keyed, { minLength: 1, maxLength: 3 })), {
    maxLength: 7,
  })
  .map((list) => list.map((set, turn): Item[] => set.map((item) => ({ ...item, turn })).sort(byKey)));

function byKey(x: Item, y: Item): number {
  return x.key < y.key ? -1 : x.key > y.key ? 1 : 0;
}

const calls = fc.array(
  fc.record({
    name: fc.constantFrom("f", "g"),
    arguments: fc.record({ q: fc.nat(2), n: fc.nat(1) }, { requiredKeys: ["q"] }),
  }),
  { maxLength: 3 },
);
const turns = fc.array(fc.record<RunTurn>({ say: fc.constantFrom("", "a", "b", "c"), calls }), { maxLength: 6 });

const LAWS = { numRuns: 1000 };
function mirrorChange({ pointer, ...sides }: ValueChange): ValueChange {
  return {
    pointer,
    ...("new" in sides ? { old: sides.new } : {}),
    ...("old" in sides ? { new: sides.old } : {}),
  };
}

describe("laws of diffValues", () => {
  it("is empty exactly when the canonical texts are equal", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(diffValues(a, a)).toEqual([]);
        expect(diffValues(a, b).length === 0).toBe(canonicalize(a) === canonicalize(b));
      }),
      LAWS,
    );
  });

  it("gives the mirror image with its sides swapped", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(diffValues(b, a)).toEqual(diffValues(a, b).map(mirrorChange));
      }),
      LAWS,
    );
  });

  it("starts with firstDifference", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(firstDifference(a, b)).toEqual(diffValues(a, b)[0]);
      }),
      LAWS,
    );
  });
});

/** Edits between two sets and the most equal pairs for that, by trying every pairing of items of one name. */
function setPrice(old: readonly Item[], now: readonly Item[], freeAdditions: boolean): { cost: number; equal: number } {
  const [first, ...rest] = old;
  if (first === undefined) return { cost: freeAdditions ? 0 : now.length, equal: 0 };
  const unpaired = setPrice(rest, now, freeAdditions);
  const options = [{ cost: unpaired.cost + 1, equal: unpaired.equal }];
  now.forEach((item, index) => {
    if (item.name !== first.name) return;
    const { cost, equal } = setPrice(rest, now.toSpliced(index, 1), freeAdditions);
    options.push(item.key === first.key ? { cost, equal: equal + 1 } : { cost: cost + 1, equal });
  });
  return best(options);
}

function best(options: readonly { cost: number; equal: number }[]): { cost: number; equal: number } {
  return options.toSorted((p, q) => p.cost - q.cost || q.equal - p.equal)[0] as { cost: number; equal: number };
}

/** The least cost and, among scripts of that cost, the most equal pairs, by trying every script. */
function exhaustive(a: readonly Item[][], b: readonly Item[][], free = false): { cost: number; equal: number } {
  const known = new Map<string, { cost: number; equal: number }>();
  const from = (i: number, j: number): { cost: number; equal: number } => {
    const [x, y] = [a[i], b[j]];
    if (x === undefined && y === undefined) return { cost: 0, equal: 0 };
    const memo = known.get(`${i},${j}`);
    if (memo !== undefined) return memo;
    const options: { cost: number; equal: number }[] = [];
    const then = (rest: { cost: number; equal: number }, cost: number, equal = 0) =>
      options.push({ cost: rest.cost + cost, equal: rest.equal + equal });
    if (x !== undefined) then(from(i + 1, j), x.length);
    if (y !== undefined) then(from(i, j + 1), free ? 0 : y.length);
    if (x !== undefined && y !== undefined) {
      const price = setPrice(x, y, free);
      then(from(i + 1, j + 1), price.cost, price.equal);
    }
    known.set(`${i},${j}`, best(options));
    return best(options);
  };
  return from(0, 0);
}

/** What the steps of a script cost. */
function priceOf(a: readonly Item[][], b: readonly Item[][], steps: readonly Step[]): { cost: number; equal: number } {
  const total = { cost: 0, equal: 0 };
  const [olds, news] = [[] as number[], [] as number[]];
  for (const step of steps) {
    const old = "old" in step ? (a[step.old] ?? []) : [];
    const now = "new" in step ? (b[step.new] ?? []) : [];
    if ("old" in step) olds.push(step.old);
    if ("new" in step) news.push(step.new);
    const { cost, equal } = setPrice(old, now, false);
    total.cost += cost;
    total.equal += equal;
  }
  expect(olds).toEqual([...a.keys()]);
  expect(news).toEqual([...b.keys()]);
  return total;
}

describe("laws of align", () => {
  it("costs the least, keeps the most for that, and costs the same from the other side", () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const { cost, steps } = align(a, b);
        expect(priceOf(a, b, steps)).toEqual(exhaustive(a, b));
        expect(cost).toBe(exhaustive(a, b).cost);
        expect(align(b, a).cost).toBe(cost);
      }),
      LAWS,
    );
  });

  it("costs the least with free additions, too", () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(align(a, b, { freeAdditions: true }).cost).toBe(exhaustive(a, b, true).cost);
      }),
      LAWS,
    );
  });

  it("costs the least in long runs with few differences, where only a band is looked at", () => {
    const edits = fc.array(fc.tuple(fc.nat(119), fc.constantFrom("drop", "double", "swap")), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(keyed, { minLength: 120, maxLength: 120 }), edits, (list, changes) => {
        const a = list.map((item, turn): Item[] => [{ ...item, turn }]);
        let b = a;
        for (const [index, change] of changes) {
          const set = b[index];
          if (set === undefined) continue;
          if (change === "drop") b = b.toSpliced(index, 1);
          if (change === "double") b = b.toSpliced(index, 0, set);
          if (change === "swap") b = b.toSpliced(index, 1).toSpliced(index + 30, 0, set);
        }
        const { cost, steps } = align(a, b);
        expect(priceOf(a, b, steps)).toEqual(exhaustive(a, b));
        expect(cost).toBe(exhaustive(a, b).cost);
      }),
      { numRuns: 8 },
    );
  });
});

describe("laws of matchItems", () => {
  it("puts every item of both sides into one match of its kind", () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const { matches } = matchItems(a, b, { refine: pairMoves });
        expect(matches.filter((match) => "old" in match)).toHaveLength(a.flat().length);
        expect(new Set(matches.flatMap((match) => ("old" in match ? [match.old] : [])))).toEqual(new Set(a.flat()));
        expect(matches.flatMap((match) => ("new" in match ? [match.new] : []))).toEqual(b.flat());
        for (const match of matches) {
          if (match.kind === "same" || match.kind === "moved") expect(match.old.key).toBe(match.new.key);
          if (match.kind !== "changed") continue;
          expect(match.old.key).not.toBe(match.new.key);
          expect(match.old.name).toBe(match.new.name);
        }
      }),
      LAWS,
    );
  });

  it("never tells more differences than the edit script, and leaves no removed and added item with one key", () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const { matches } = matchItems(a, b, { refine: pairMoves });
        expect(matches.filter((match) => match.kind !== "same").length).toBeLessThanOrEqual(align(a, b).cost);
        const added = new Set(matches.flatMap((match) => (match.kind === "added" ? [match.new.key] : [])));
        for (const match of matches) if (match.kind === "removed") expect(added.has(match.old.key)).toBe(false);
      }),
      LAWS,
    );
  });

  it("pairs what changed within a turn the way that is least unlike in sum", () => {
    const numbers = fc.array(fc.nat(50), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(numbers, numbers, (left, right) => {
        const setOf = (side: string, list: readonly number[]): Item[][] => [
          list.map((value) => ({ turn: 0, name: "f", key: `${side} ${value}` })),
        ];
        const unlike = (x: Item, y: Item) => Math.abs(Number(x.key.slice(2)) - Number(y.key.slice(2)));
        const { matches } = matchItems(setOf("a", left), setOf("b", right), { unlike });
        const least = (list: readonly number[], others: readonly number[]): number => {
          const [first, ...rest] = list;
          if (first === undefined) return 0;
          return Math.min(...others.map((other, at) => Math.abs(first - other) + least(rest, others.toSpliced(at, 1))));
        };
        const [fewer, more] = left.length <= right.length ? [left, right] : [right, left];
        const changed = matches.flatMap((match) => (match.kind === "changed" ? [unlike(match.old, match.new)] : []));
        expect(changed).toHaveLength(fewer.length);
        expect(changed.reduce((sum, value) => sum + value, 0)).toBe(least(fewer, more));
      }),
      { numRuns: 300 },
    );
  });
});

describe("laws of pairMoves", () => {
  const APART = { isNear: () => false, isSame: (x: Item, y: Item) => x.key === y.key, unlike: () => 0 };

  /** Scripts of one name, each item in a turn of its own, so that only keys can pair. */
  const scripts = fc.array(fc.tuple(fc.option(fc.nat(4)), fc.option(fc.nat(4))), { maxLength: 10 }).map((pairs) =>
    pairs.flatMap(([left, right], index): Match<Item>[] => {
      const old: Item = { key: `f${left}`, name: "f", turn: 2 * index };
      const now: Item = { key: `f${right}`, name: "f", turn: 2 * index + 1 };
      if (left === null) return right === null ? [] : [{ kind: "added", new: now }];
      if (right === null) return [{ kind: "removed", old }];
      return [{ kind: left === right ? "same" : "changed", old, new: now }];
    }),
  );

  it("dissolves a changed pair only where both of its sides find their equal", () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const result = pairMoves(script, APART);
        const unmatched = (list: readonly Match<Item>[]) =>
          list.flatMap((match) => {
            if (match.kind === "removed") return [`- ${match.old.key}`];
            return match.kind === "added" ? [`+ ${match.new.key}`] : [];
          });
        const before = unmatched(script);
        for (const item of unmatched(result)) {
          expect(before).toContain(item);
          before.splice(before.indexOf(item), 1);
        }
        const differing = (list: readonly Match<Item>[]) => list.filter((match) => match.kind !== "same").length;
        expect(differing(result)).toBeLessThanOrEqual(differing(script));
      }),
      LAWS,
    );
  });

  it("leaves no cycle of changed pairs", () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const changed = pairMoves(script, APART).filter((match) => match.kind === "changed");
        const leavesInto = (key: string, seen: readonly string[]): boolean =>
          seen.includes(key) ||
          changed.some((match) => match.old.key === key && leavesInto(match.new.key, [...seen, key]));
        for (const match of changed) expect(leavesInto(match.old.key, [])).toBe(false);
      }),
      LAWS,
    );
  });
});

/** What the drift is from the other side. Nothing mirrors a call that is repeated: from there it was removed. */
function mirrorDrift({ sentence, ...drift }: Drift): DriftFact[] {
  const fact = drift as DriftFact;
  const here = "newTurn" in fact ? { oldTurn: fact.newTurn, oldPointer: fact.newPointer } : undefined;
  const there = "oldTurn" in fact ? { newTurn: fact.oldTurn, newPointer: fact.oldPointer } : undefined;
  const mirrored = {
    ...fact,
    ...here,
    ...there,
    kind: MIRRORED[fact.kind],
    ...("changes" in fact ? { changes: fact.changes.map(mirrorChange) } : {}),
    ...("old" in fact && "new" in fact ? { old: fact.new, new: fact.old } : {}),
    ...(fact.kind === "serialised" ? { oldTurns: fact.newTurns } : {}),
    ...(fact.kind === "parallelised" ? { newTurns: fact.oldTurns } : {}),
    ...(fact.kind === "content-added" ? { old: fact.new } : {}),
    ...(fact.kind === "content-removed" ? { new: fact.old } : {}),
  };
  const left = Object.entries(mirrored).filter(([name]) => {
    if (fact.kind === "serialised" && name === "newTurns") return false;
    if (fact.kind === "parallelised" && name === "oldTurns") return false;
    if (fact.kind === "retried" && name.startsWith("new")) return false;
    if (fact.kind === "content-added" && name === "new") return false;
    if (fact.kind === "content-removed" && name === "old") return false;
    if (here === undefined && name.startsWith("old")) return false;
    return there !== undefined || !(name === "newTurn" || name === "newPointer");
  });
  return [Object.fromEntries(left) as unknown as DriftFact];
}

const MIRRORED: Record<DriftKind, DriftKind> = {
  added: "removed",
  removed: "added",
  moved: "moved",
  "args-changed": "args-changed",
  retried: "removed",
  parallelised: "serialised",
  serialised: "parallelised",
  "content-changed": "content-changed",
  "content-added": "content-removed",
  "content-removed": "content-added",
  "stop-changed": "stop-changed",
};

const MIRRORED_ORDER = {
  strict: "strict",
  unordered: "unordered",
  subset: "superset",
  superset: "subset",
} as const;

const options = fc.record({
  order: fc.constantFrom("strict", "unordered", "subset", "superset"),
  readOnly: fc.constantFrom([], ["f"], ["*"]),
});

function canonical(fact: object): string {
  return canonicalize(fact as JsonObject);
}

function asAdded({ oldTurn, oldPointer, ...fact }: Extract<DriftFact, { kind: "retried" }>): DriftFact[] {
  return [{ ...fact, kind: "added" }];
}

describe("laws of diffCassettes", () => {
  it("finds nothing between a run and itself, whatever the ids", () => {
    fc.assert(
      fc.property(turns, (run) => {
        expect(diffCassettes(runOf(run, "one"), runOf(run, "two"))).toEqual([]);
      }),
      LAWS,
    );
  });

  it("gives the mirror image with its sides swapped", () => {
    fc.assert(
      fc.property(turns, turns, options, (left, right, { order, ...rest }) => {
        const [a, b] = [runOf(left), runOf(right)];
        const back = MIRRORED_ORDER[order];
        const there = diffCassettes(a, b, { ...rest, order }).flatMap(mirrorDrift);
        // A call that the old run repeats is plainly removed, and from the other side it is a retry.
        const here = diffCassettes(b, a, { ...rest, order: back }).flatMap(({ sentence, ...fact }) =>
          fact.kind === "retried" ? asAdded(fact) : [fact],
        );
        const plain = there.flatMap((fact) => (fact.kind === "retried" ? asAdded(fact) : [fact]));
        expect(here.map(canonical).sort()).toEqual(plain.map(canonical).sort());
      }),
      LAWS,
    );
  });

  it("does not depend on the order in which the calls of a turn are listed", () => {
    const shuffled = turns.chain((run) =>
      fc.tuple(
        fc.constant(run),
        fc.tuple(
          ...run.map(({ calls: listed = [], ...turn }) =>
            fc
              .shuffledSubarray(listed, { minLength: listed.length })
              .map((order): RunTurn => ({ ...turn, calls: order })),
          ),
        ),
      ),
    );
    fc.assert(
      fc.property(shuffled, turns, fc.constantFrom([], ["/n"]), ([run, permuted], other, ignore) => {
        const against = runOf(other);
        const told = (side: readonly RunTurn[]) =>
          diffCassettes(runOf(side), against, { ignore }).map(({ sentence }) => sentence);
        expect(told(permuted)).toEqual(told(run));
        expect(diffCassettes(runOf(run), runOf(permuted), { ignore })).toEqual([]);
      }),
      LAWS,
    );
  });

  it("gives every changed call a changed place", () => {
    fc.assert(
      fc.property(turns, turns, fc.constantFrom([], ["/n"], ["f:/q"], ["/*"]), (left, right, ignore) => {
        for (const drift of diffCassettes(runOf(left), runOf(right), { ignore })) {
          if (drift.kind === "args-changed") expect(drift.changes.length).toBeGreaterThan(0);
        }
      }),
      LAWS,
    );
  });
});
