import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isOneWay, pathDeparture } from "../../../src/cassette/diff/departure.js";
import { diffCassettes } from "../../../src/cassette/diff/diff.js";
import { pathDistance, pathOf } from "../../../src/cassette/diff/align/distance.js";
import { CALL_ORDERS } from "../../../src/cassette/diff/order.js";
import type { Cassette } from "../../../src/cassette/index.js";

/** Each turn a text of letters, a letter a call. */
function run(turns: readonly string[]): Cassette {
  const entries = turns.map((letters, turnIndex) => {
    const toolCalls = [...letters].map((name) => ({ id: name, name, arguments: {} }));
    const message = { role: "assistant" as const, content: "", toolCalls };
    return { turnIndex, promptHash: "", response: { message, stopReason: "toolUse" as const } };
  });
  return { version: 1, recordedAt: "", recordedProvider: "", entries };
}

const turns = fc.array(fc.constantFrom("f", "g", "h", "fg", "ff", "gh"), { maxLength: 6 });

describe("the departure of one run from another", () => {
  it("is 0 exactly where a comparison finds no drift of calls, under every order", () => {
    fc.assert(
      fc.property(turns, turns, fc.constantFrom(...CALL_ORDERS), (a, b, order) => {
        const [old, now] = [run(a), run(b)];
        const far = pathDeparture(pathOf(old, { order }), pathOf(now, { order }));
        expect(far).toBeGreaterThanOrEqual(0);
        expect(far).toBeLessThanOrEqual(1);
        expect(far === 0).toBe(diffCassettes(old, now, { order }).length === 0);
      }),
    );
  });

  it("is the distance where the order has no direction", () => {
    fc.assert(
      fc.property(turns, turns, fc.constantFrom("strict", "unordered"), (a, b, order) => {
        const [old, now] = [pathOf(run(a), { order }), pathOf(run(b), { order })];
        expect(pathDeparture(old, now)).toBe(pathDistance(old, now));
      }),
    );
    expect(CALL_ORDERS.filter(isOneWay)).toEqual(["in_order", "subset", "superset"]);
  });
});
