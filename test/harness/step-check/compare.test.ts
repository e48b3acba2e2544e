import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkTolerances } from "../../../src/cassette/tolerance/load.js";
import { compareTurns } from "../../../src/harness/step-check/compare.js";
import { ask, say } from "../../support/script.js";

const turnOf = (...calls: [name: string, city?: string][]) =>
  calls.length === 0
    ? say("done")
    : ask(calls.map(([name, city]) => ({ name, arguments: city === undefined ? {} : { city } })));

describe("compareTurns", () => {
  it.each([
    ["the same calls in another order", turnOf(["a", "x"], ["b"]), turnOf(["b"], ["a", "x"]), "same"],
    ["two answers, whatever they say", say("yes"), say("no"), "same"],
    ["the same tool with other arguments", turnOf(["a", "x"]), turnOf(["a", "y"]), "other-arguments"],
    ["another tool", turnOf(["a", "x"]), turnOf(["b", "x"]), "other-tools"],
    ["a call less", turnOf(["a", "x"], ["b"]), turnOf(["a", "x"]), "other-tools"],
    ["a call twice", turnOf(["a"]), turnOf(["a"], ["a"]), "other-tools"],
    ["an answer instead of calls", turnOf(["a"]), say("done"), "answered"],
    ["calls instead of an answer", say("done"), turnOf(["a"]), "called"],
  ] as const)("judges %s", (_name, recorded, chosen, verdict) => {
    expect(compareTurns(recorded, chosen).verdict).toBe(verdict);
  });

  it("pairs equal calls first, then those of one tool, then the rest by name", () => {
    const { pairs } = compareTurns(turnOf(["a", "x"], ["a", "y"], ["c"]), turnOf(["a", "y"], ["a", "z"], ["d"], ["e"]));
    expect(pairs).toEqual([
      { recorded: "a", chosen: "a" },
      { recorded: "a", chosen: "a" },
      { recorded: "c", chosen: "d" },
      { recorded: "(no call)", chosen: "e" },
    ]);
  });

  it("takes for equal what tolerances find alike, and says which", () => {
    const tolerances = checkTolerances({
      version: 1,
      tools: { a: { "/city": ["trim", "case"], "/n": { numeric: { absolute: 1 } } } },
    });
    const [recorded, chosen] = [turnOf(["a", "Oslo"], ["b", "x"]), turnOf(["b", "x"], ["a", "oslo "])];
    expect(compareTurns(recorded, chosen).verdict).toBe("other-arguments");
    expect(compareTurns(recorded, chosen, tolerances)).toEqual({
      verdict: "same",
      pairs: [
        { recorded: "a", chosen: "a" },
        { recorded: "b", chosen: "b" },
      ],
      tolerances: [
        { tolerance: "case", tool: "a", pointer: "/city", times: 1 },
        { tolerance: "trim", tool: "a", pointer: "/city", times: 1 },
      ],
    });
    expect(compareTurns(recorded, recorded, tolerances)).not.toHaveProperty("tolerances");
    const asked = (...numbers: number[]) => ask(numbers.map((n) => ({ name: "a", arguments: { city: "Oslo", n } })));
    // 1 is near 2 and 2 near 3: only one way to pair both.
    expect(compareTurns(asked(2, 1), asked(2, 3), tolerances).verdict).toBe("same");
    const further = compareTurns(asked(1), ask([{ name: "a", arguments: { city: "OSLO", n: 4 } }]), tolerances);
    expect(further).toMatchObject({ verdict: "other-arguments", differing: { at: { pointer: "/n", old: 1, new: 4 } } });
  });

  it("tells malformed arguments from every object", () => {
    const malformed = ask([{ name: "a", malformedArguments: "{}" }]);
    expect(compareTurns(malformed, ask([{ name: "a" }])).verdict).toBe("other-arguments");
    expect(compareTurns(malformed, malformed).verdict).toBe("same");
  });

  const turn = fc
    .array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.constantFrom("x", "y")), { maxLength: 4 })
    .map((calls) => ({ calls, response: turnOf(...calls) }));

  it("does not depend on the order of calls, and its mirror image is the comparison the other way round", () => {
    const mirror = { answered: "called", called: "answered" } as const;
    const property = fc.property(turn, turn, (recorded, chosen) => {
      const here = compareTurns(recorded.response, chosen.response);
      const reversed = compareTurns(turnOf(...recorded.calls.toReversed()), turnOf(...chosen.calls.toReversed()));
      const back = compareTurns(chosen.response, recorded.response).verdict;
      expect([reversed.verdict, reversed.pairs]).toEqual([here.verdict, here.pairs]);
      expect(back in mirror ? mirror[back as keyof typeof mirror] : back).toBe(here.verdict);
      expect(here.pairs).toHaveLength(Math.max(recorded.calls.length, chosen.calls.length, 1));
    });
    fc.assert(property);
  });

  it("is the same for a turn and itself", () => {
    const property = fc.property(turn, ({ response }) => {
      expect(compareTurns(response, response).verdict).toBe("same");
    });
    fc.assert(property);
  });
});
