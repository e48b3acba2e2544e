import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameContext, type TurnContext } from "../../../src/cassette/offer/context.js";
import { createUnusedTurns } from "../../../src/cassette/replay/unused.js";

const contextOf = (name: string): TurnContext => ({ toolsHash: name, settingsHash: "s", tools: [], settings: {} });
const noted = fc.constantFrom(undefined, "a", "b");
const entry = fc.record({ promptHash: fc.constantFrom("p", "q"), context: noted });

describe("createUnusedTurns", () => {
  it("finds what a search through all turns finds, whatever was asked before", () => {
    const asked = fc.record({ promptHash: fc.constantFrom("p", "q", "r"), now: noted });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 10 }), fc.array(asked, { maxLength: 14 }), (recorded, questions) => {
        const entries = recorded.map(({ promptHash }, turnIndex) => ({ promptHash, turnIndex }));
        const contexts = recorded.map(({ context }) =>
          context === undefined ? undefined : { fromTurn: 0, ...contextOf(context) },
        );
        const turns = createUnusedTurns(entries, contexts);
        for (const { promptHash, now } of questions) {
          const context = now === undefined ? undefined : contextOf(now);
          const left = entries.filter(({ turnIndex }) => turns.used[turnIndex] !== true);
          const fitting = left.filter((each) => each.promptHash === promptHash);
          const exact = fitting.find(({ turnIndex }) => isSameContext(contexts[turnIndex], context)) ?? fitting[0];
          expect(turns.find(promptHash, context)).toBe(exact?.turnIndex);
          expect([turns.left(), turns.next()]).toEqual([left.length, left[0]?.turnIndex ?? entries.length]);
          if (exact !== undefined) turns.take(exact.turnIndex);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("holds a hundred thousand turns of one prompt, asked in the order that helps least", () => {
    const entries = Array.from({ length: 100_000 }, (_, turnIndex) => ({ promptHash: "p", turnIndex }));
    const contexts = entries.map(({ turnIndex }) => ({ fromTurn: 0, ...contextOf(turnIndex === 0 ? "a" : "b") }));
    const turns = createUnusedTurns(entries, contexts);
    for (let wanted = 1; wanted < entries.length; wanted++) {
      const found = turns.find("p", contextOf("b"));
      if (found !== wanted) expect(found).toBe(wanted);
      turns.take(wanted);
    }
    expect([turns.left(), turns.next(), turns.find("p", contextOf("b"))]).toEqual([1, 0, 0]);
  });

  it("knows the last turn with a prompt, used or not", () => {
    const turns = createUnusedTurns(
      ["p", "q", "p"].map((promptHash, turnIndex) => ({ promptHash, turnIndex })),
      [],
    );
    turns.take(2);
    turns.take(2);
    expect([turns.lastWith("p"), turns.lastWith("z"), turns.left()]).toEqual([2, undefined, 2]);
  });
});
