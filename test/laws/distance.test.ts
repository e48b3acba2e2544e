// Laws of the distance of two paths, of their identity and of the pairing of turns.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignTurns, diffCassettes } from "../../src/cassette/diff/diff.js";
import { pathKey, trajectoryDistance, type PathOptions } from "../../src/cassette/diff/align/distance.js";
import { CALL_ORDERS } from "../../src/cassette/diff/order.js";
import { runOf, type RunTurn } from "../cassette/diff/runs.js";

const calls = fc.array(
  fc.record({ name: fc.constantFrom("f", "g"), arguments: fc.record({ q: fc.nat(2), n: fc.nat(1) }) }),
  { maxLength: 3 },
);
const run = fc
  .array(fc.record<RunTurn>({ say: fc.constantFrom("", "a", "b"), calls }), { maxLength: 5 })
  .map((turns) => runOf(turns));
const options = fc.record<PathOptions>({
  order: fc.constantFrom("strict", "unordered"),
  readOnly: fc.constantFrom([], ["f"], ["*"]),
  ignore: fc.constantFrom([], ["/n"]),
});

const LAWS = { numRuns: 500 };

describe("laws of trajectoryDistance", () => {
  it("lies between 0 and 1, is the same both ways, and is 0 exactly between runs of one path", () => {
    fc.assert(
      fc.property(run, run, options, (a, b, settings) => {
        const distance = trajectoryDistance(a, b, settings);
        expect(distance).toBeGreaterThanOrEqual(0);
        expect(distance).toBeLessThanOrEqual(1);
        expect(trajectoryDistance(b, a, settings)).toBe(distance);
        expect(distance === 0).toBe(pathKey(a, settings) === pathKey(b, settings));
        expect(trajectoryDistance(a, a, settings)).toBe(0);
      }),
      LAWS,
    );
  });

  it("is never longer than a detour", () => {
    fc.assert(
      fc.property(run, run, run, options, (a, b, c, settings) => {
        const direct = trajectoryDistance(a, c, settings);
        const detour = trajectoryDistance(a, b, settings) + trajectoryDistance(b, c, settings);
        expect(direct).toBeLessThanOrEqual(detour + 1e-12);
      }),
      { numRuns: 2000 },
    );
  });

  it("is 0 exactly where no drift of calls is found", () => {
    fc.assert(
      fc.property(run, run, options, (a, b, settings) => {
        const drifts = diffCassettes(a, b, { ...settings, ignoreContent: true });
        expect(drifts.filter(({ kind }) => kind !== "stop-changed").length === 0).toBe(
          trajectoryDistance(a, b, settings) === 0,
        );
      }),
      LAWS,
    );
  });
});

describe("laws of the orders", () => {
  it("find in a looser order nothing that a stricter one does not find", () => {
    const looser = {
      strict: ["in_order", "unordered"],
      in_order: ["superset"],
      unordered: ["subset", "superset"],
    } as const;
    fc.assert(
      fc.property(run, run, fc.constantFrom("strict", "in_order", "unordered"), (a, b, order) => {
        const isSame = (name: (typeof CALL_ORDERS)[number]) =>
          diffCassettes(a, b, { order: name, ignoreContent: true }).length === 0;
        for (const next of looser[order]) if (isSame(order)) expect(isSame(next)).toBe(true);
      }),
      LAWS,
    );
  });
});

describe("laws of alignTurns", () => {
  it("names every turn of both sides once, in order, and every drift at each of its turns", () => {
    fc.assert(
      fc.property(run, run, fc.constantFrom(...CALL_ORDERS), fc.constantFrom([], ["f"]), (a, b, order, readOnly) => {
        const pairs = alignTurns(a, b, { order, readOnly });
        expect(pairs.flatMap((pair) => pair.old ?? [])).toEqual([...a.entries.keys()]);
        expect(pairs.flatMap((pair) => pair.new ?? [])).toEqual([...b.entries.keys()]);
        const drifts = diffCassettes(a, b, { order, readOnly });
        expect([...new Set(pairs.flatMap((pair) => pair.drifts))].sort((x, y) => x - y)).toEqual([...drifts.keys()]);
        for (const [index, drift] of drifts.entries()) {
          const named = pairs.filter((pair) => pair.drifts.includes(index));
          if ("oldTurn" in drift) expect(named.some((pair) => pair.old === drift.oldTurn)).toBe(true);
          if ("newTurn" in drift) expect(named.some((pair) => pair.new === drift.newTurn)).toBe(true);
        }
      }),
      LAWS,
    );
  });

  it("pairs each turn of a run with itself", () => {
    fc.assert(
      fc.property(run, (a) => {
        expect(alignTurns(a, a)).toEqual(
          a.entries.map(({ turnIndex }) => ({ old: turnIndex, new: turnIndex, drifts: [] })),
        );
      }),
      LAWS,
    );
  });
});
