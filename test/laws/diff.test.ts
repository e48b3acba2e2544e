// Laws of the comparison of two runs, over small alphabets, so that equal, changed and moved calls all occur.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align, type Edit, type Keyed } from "../../src/cassette/diff/align.js";
import { diffCassettes } from "../../src/cassette/diff/diff.js";
import type { Drift, DriftFact } from "../../src/cassette/diff/drift.js";
import { matchItems, type Item, type Match } from "../../src/cassette/diff/match.js";
import { pairMoves } from "../../src/cassette/diff/moves.js";
import { diffValues, firstDifference, type ValueChange } from "../../src/cassette/values.js";
import { canonicalize, type JsonValue } from "../../src/core/index.js";
import { runOf, type RunTurn } from "../cassette/diff/runs.js";

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

const keyed = fc
  .record({ name: fc.constantFrom("f", "g"), arg: fc.nat(3) })
  .map(({ name, arg }): Keyed => ({ key: `${name}${arg}`, name }));
const sequence = fc.array(keyed, { maxLength: 9 });

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

/** The least cost and, among scripts of that cost, the most equal pairs, by trying every script. */
function exhaustive(a: readonly Keyed[], b: readonly Keyed[]): { cost: number; equal: number } {
  const known = new Map<string, { cost: number; equal: number }>();
  const best = (i: number, j: number): { cost: number; equal: number } => {
    const [x, y] = [a[i], b[j]];
    if (x === undefined || y === undefined) return { cost: a.length - i + b.length - j, equal: 0 };
    const memo = known.get(`${i},${j}`);
    if (memo !== undefined) return memo;
    const options = [best(i + 1, j), best(i, j + 1)].map(({ cost, equal }) => ({ cost: cost + 1, equal }));
    const { cost, equal } = best(i + 1, j + 1);
    if (x.key === y.key) options.push({ cost, equal: equal + 1 });
    else if (x.name === y.name) options.push({ cost: cost + 1, equal });
    const least = options.toSorted((p, q) => p.cost - q.cost || q.equal - p.equal)[0] as {
      cost: number;
      equal: number;
    };
    known.set(`${i},${j}`, least);
    return least;
  };
  return best(0, 0);
}

/** Follows the script; fails where it is not one from `a`. */
function applyScript(a: readonly Keyed[], b: readonly Keyed[], edits: readonly Edit[]): (string | undefined)[] {
  let taken = 0;
  const result = edits.flatMap((edit) => {
    if ("old" in edit) expect(edit.old).toBe(taken++);
    switch (edit.kind) {
      case "keep":
        return [a[edit.old]?.key];
      case "change":
        expect(a[edit.old]?.name).toBe(b[edit.new]?.name);
        return [b[edit.new]?.key];
      case "remove":
        return [];
      case "add":
        return [b[edit.new]?.key];
    }
  });
  expect(taken).toBe(a.length);
  return result;
}

describe("laws of align", () => {
  it("costs the least, keeps the most for that, and costs the same from the other side", () => {
    fc.assert(
      fc.property(sequence, sequence, (a, b) => {
        const { cost, edits } = align(a, b);
        expect({ cost, equal: edits.filter((edit) => edit.kind === "keep").length }).toEqual(exhaustive(a, b));
        expect(align(b, a).cost).toBe(cost);
      }),
      LAWS,
    );
  });

  it("leads from the one sequence to the other", () => {
    fc.assert(
      fc.property(sequence, sequence, (a, b) => {
        expect(applyScript(a, b, align(a, b).edits)).toEqual(b.map((item) => item.key));
      }),
      LAWS,
    );
  });
});

describe("laws of matchItems", () => {
  const items = fc.array(
    fc.tuple(keyed, fc.nat(2)).map(([item, step]) => ({ ...item, step })),
    { maxLength: 9 },
  );
  const withTurns = (list: readonly (Keyed & { step: number })[]): Item[] => {
    let turn = 0;
    return list.map(({ key, name, step }) => ({ key, name, turn: (turn += step) }));
  };

  it("puts every item of both sides into one match of its kind", () => {
    fc.assert(
      fc.property(items, items, (left, right) => {
        const [a, b] = [withTurns(left), withTurns(right)];
        const matches = matchItems(a, b, pairMoves);
        expect(matches.filter((match) => "old" in match)).toHaveLength(a.length);
        expect(new Set(matches.flatMap((match) => ("old" in match ? [match.old] : [])))).toEqual(new Set(a));
        expect(matches.flatMap((match) => ("new" in match ? [match.new] : []))).toEqual(b);
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
      fc.property(items, items, (left, right) => {
        const [a, b] = [withTurns(left), withTurns(right)];
        const matches = matchItems(a, b, pairMoves);
        expect(matches.filter((match) => match.kind !== "same").length).toBeLessThanOrEqual(align(a, b).cost);
        const added = new Set(matches.flatMap((match) => (match.kind === "added" ? [match.new.key] : [])));
        for (const match of matches) if (match.kind === "removed") expect(added.has(match.old.key)).toBe(false);
      }),
      LAWS,
    );
  });
});

describe("laws of pairMoves", () => {
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
        const result = pairMoves(script);
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
        const changed = pairMoves(script).filter((match) => match.kind === "changed");
        const leavesInto = (key: string, seen: readonly string[]): boolean =>
          seen.includes(key) ||
          changed.some((match) => match.old.key === key && leavesInto(match.new.key, [...seen, key]));
        for (const match of changed) expect(leavesInto(match.old.key, [])).toBe(false);
      }),
      LAWS,
    );
  });
});

function mirrorDrift({ sentence, ...fact }: Drift): DriftFact {
  switch (fact.kind) {
    case "added":
      return { kind: "removed", oldTurn: fact.newTurn, tool: fact.tool, arguments: fact.arguments };
    case "removed":
      return { kind: "added", newTurn: fact.oldTurn, tool: fact.tool, arguments: fact.arguments };
    case "moved":
      return { ...fact, oldTurn: fact.newTurn, newTurn: fact.oldTurn };
    case "args-changed":
      return { ...fact, oldTurn: fact.newTurn, newTurn: fact.oldTurn, changes: fact.changes.map(mirrorChange) };
    case "content-changed":
      return { ...fact, oldTurn: fact.newTurn, newTurn: fact.oldTurn, old: fact.new, new: fact.old };
    case "content-added":
      return { kind: "content-removed", oldTurn: fact.newTurn, old: fact.new };
    case "content-removed":
      return { kind: "content-added", newTurn: fact.oldTurn, new: fact.old };
  }
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
      fc.property(turns, turns, (left, right) => {
        const [a, b] = [runOf(left), runOf(right)];
        const there = diffCassettes(a, b).map((drift) => canonicalize(mirrorDrift(drift)));
        const back = diffCassettes(b, a).map(({ sentence, ...fact }) => canonicalize(fact));
        expect(back.sort()).toEqual(there.sort());
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
        expect(diffCassettes(runOf(permuted), against, { ignore })).toEqual(
          diffCassettes(runOf(run), against, { ignore }),
        );
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
