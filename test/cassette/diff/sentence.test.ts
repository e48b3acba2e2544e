import { describe, expect, it } from "vitest";
import { sentenceOf } from "../../../src/cassette/diff/sentence.js";

describe("sentenceOf", () => {
  it("says each kind of drift", () => {
    const said = [
      sentenceOf({ kind: "added", tool: "search", arguments: { q: "x" }, newTurn: 3 }),
      sentenceOf({ kind: "removed", tool: "search", arguments: { q: "x" }, oldTurn: 3 }),
      sentenceOf({ kind: "moved", tool: "search", arguments: {}, oldTurn: 1, newTurn: 2 }),
      sentenceOf({ kind: "moved", tool: "search", arguments: {}, oldTurn: 1, newTurn: 1 }),
      sentenceOf({
        kind: "args-changed",
        tool: "search",
        oldTurn: 1,
        newTurn: 2,
        changes: [
          { pointer: "/a", old: 1, new: 2 },
          { pointer: "/b", new: [] },
          { pointer: "/c", old: null },
        ],
      }),
      sentenceOf({ kind: "content-changed", oldTurn: 1, newTurn: 1, old: "a", new: "b" }),
      sentenceOf({ kind: "content-added", newTurn: 1, new: "b" }),
      sentenceOf({ kind: "content-removed", oldTurn: 1, old: "a" }),
    ];
    expect(said).toEqual([
      'search({"q":"x"}) was added at turn 3.',
      'search({"q":"x"}) was removed; the old run made this call at turn 3.',
      "search({}) moved from turn 1 to turn 2.",
      "search({}) stayed at turn 1 but changed places with other calls.",
      "search was called with other arguments at turn 2 (turn 1 in the old run): /a was 1 and is 2, /b [] is new, /c null is gone.",
      `The assistant's text changed at turn 1: it was "a" and is "b".`,
      `The assistant's text "b" was added at turn 1.`,
      `The assistant's text "a" was removed; it stood at turn 1 of the old run.`,
    ]);
  });

  it("names malformed arguments by the text the model wrote", () => {
    expect(sentenceOf({ kind: "added", tool: "f", arguments: {}, malformedArguments: '{"q":', newTurn: 0 })).toBe(
      'f("{\\"q\\":") was added at turn 0.',
    );
  });

  it("counts the places it does not list", () => {
    const changes = ["/a", "/b", "/c", "/d", "/e"].map((pointer) => ({ pointer, old: 1, new: 2 }));
    expect(sentenceOf({ kind: "args-changed", tool: "f", oldTurn: 0, newTurn: 0, changes })).toMatch(
      /, and 2 more places\.$/,
    );
  });

  it("cuts two long texts where they begin to differ", () => {
    const same = "x".repeat(5000);
    const sentence = sentenceOf({
      kind: "content-changed",
      oldTurn: 0,
      newTurn: 0,
      old: same + "OLD",
      new: same + "NEW",
    });
    expect(sentence).toContain('it was "…xxxxxxxxxxxxOLD" and is "…xxxxxxxxxxxxNEW".');
  });

  it("cuts long values, and never through a character", () => {
    for (const pad of ["", "x"]) {
      const sentence = sentenceOf({ kind: "content-added", newTurn: 0, new: pad + "😀".repeat(500) });
      expect(sentence.isWellFormed()).toBe(true);
      expect(sentence.length).toBeLessThan(140);
      expect(sentence).toContain("…");
    }
  });

  it("puts both quotes around a cut text, and ends with one stop", () => {
    const same = "The cheapest kit is the Sparrow, which is on the second shelf and costs ";
    expect(
      sentenceOf({
        kind: "content-changed",
        oldTurn: 2,
        newTurn: 2,
        old: `${same}19 EUR; the shop opened in 1987.`,
        new: `${same}nothing.`,
      }),
    ).toBe(
      'The assistant\'s text changed at turn 2: it was "…f and costs 19 EUR; the shop opened in 1987." and is "…f and costs nothing."',
    );
    const changes = [{ pointer: "/text", old: "Yes", new: "No." }];
    expect(sentenceOf({ kind: "args-changed", tool: "say", oldTurn: 0, newTurn: 0, changes })).toBe(
      'say was called with other arguments at turn 0: /text was "Yes" and is "No."',
    );
    expect(sentenceOf({ kind: "content-added", newTurn: 0, new: "y".repeat(81) })).toBe(
      `The assistant's text "${"y".repeat(80)}…" was added at turn 0.`,
    );
  });

  it.each([
    [{ q: "z".repeat(100) }, `{"q":"${"z".repeat(74)}…"}`],
    [{ q: '"'.repeat(100) }, `{"q":"${'\\"'.repeat(37)}…"}`],
    [{ q: `[{${"\u0001".repeat(50)}` }, `{"q":"[{${"\\u0001".repeat(12)}…"}`],
    [{ list: [{ a: 1 }, ...Array.from({ length: 50 }, () => 7)] }, `{"list":[{"a":1},${"7,".repeat(31)}7…]}`],
  ])("closes what it cuts off in arguments: %#", (args, shown) => {
    expect(sentenceOf({ kind: "added", tool: "f", arguments: args, newTurn: 0 })).toBe(
      `f(${shown}) was added at turn 0.`,
    );
  });

  it("stays one line and shows control and direction characters as escapes", () => {
    const sentence = sentenceOf({
      kind: "added",
      tool: "a\n\u001b[2J",
      arguments: { q: "\u202e\u009b1m\n" },
      newTurn: 0,
    });
    expect(sentence).toBe('"a\\n\\u001b[2J"({"q":"\\u202e\\u009b1m\\n"}) was added at turn 0.');
  });
});
