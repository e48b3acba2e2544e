import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { checkTolerances } from "../../../src/cassette/index.js";
import "../../../src/entry/vitest.js";
import { refusal } from "../../support/refusal.js";
import { ask, say } from "../../support/script.js";
import { callRun, lookupRun, record } from "../vitest/runs.js";

const search = (city: string) => ({ name: "lookup", arguments: { city } });

describe("toCallToolTimes", () => {
  it("counts the calls of a tool, over all turns and in a run, a recorder and a cassette", async () => {
    const { result, recorder, cassette } = await record([
      ask([search("Oslo"), search("Rome")]),
      ask([search("Oslo")]),
      say("done"),
    ]);
    for (const received of [result, recorder, cassette]) {
      expect(received).toCallToolTimes("lookup", 3);
      expect(received).toCallToolTimes("save", 0);
      expect(received).not.toCallToolTimes("lookup", 2);
      expect(received).toCallToolTimes("lookup", 2, { city: "Oslo" });
      expect(received).toCallToolTimes("lookup", 3, { city: expect.any(String) });
      expect(received).toCallToolTimes("lookup", 0, { city: "Lima" });
    }
  });

  it("says how many there were, which, and which came near", async () => {
    const { result } = await callRun(search("Oslo"), search("Rome"), { name: "save" });
    expect(refusal(() => expect(result).toCallToolTimes("lookup", 2, { city: "Oslo" }))).toMatchObject({
      message: [
        'expected 2 calls of lookup({"city":"Oslo"}), but 1 was made:',
        '  turn 0: lookup({"city":"Oslo"})',
        "Other calls, nearest first:",
        '  turn 1: lookup({"city":"Rome"})',
        '    /city: expected "Oslo", was "Rome"',
        "  turn 2: save({})",
        "Correct the number, or the prompt, tool description or tool results that led the model to a different one.",
      ].join("\n"),
      actual: 1,
      expected: 2,
    });
    expect(refusal(() => expect(result).toCallToolTimes("drop", 1))).toMatchObject({
      message: expect.stringContaining("expected 1 call of drop, but none was made.\nOther calls, nearest first:"),
    });
  });

  it("names the calls that are too many and nothing else", async () => {
    const { result } = await callRun(search("Oslo"), search("Rome"), { name: "save" });
    const { message } = refusal(() => expect(result).toCallToolTimes("lookup", 1)) as Error;
    expect(message).toContain("expected 1 call of lookup, but 2 were made:\n  turn 0:");
    expect(message).not.toContain("save");
  });

  it("says under .not that the number is that one", async () => {
    const { result } = await lookupRun();
    const { message } = refusal(() => expect(result).not.toCallToolTimes("lookup", 1)) as Error;
    expect(stripVTControlCharacters(message)).toContain(
      "expected the number of calls of lookup not to be 1, but it is:\n  turn 0: lookup",
    );
  });

  it("counts what tolerances let pass", async () => {
    const { result } = await callRun(search("Oslo"), search("OSLO"));
    const tolerances = checkTolerances({ version: 1, tools: { lookup: { "/city": "case" } } });
    expect(result).toCallToolTimes("lookup", 2, { city: "oslo" }, { tolerances });
    expect(result).toCallToolTimes("lookup", 0, { city: "oslo" });
  });

  it("counts the calls of every agent of a run", async () => {
    const { result } = await lookupRun();
    const [visit] = result.visits;
    expect({ ...result, visits: [visit, visit] }).toCallToolTimes("lookup", 2);
  });

  it.each([
    ["no number", ["lookup"]],
    ["a number in words", ["lookup", "2"]],
    ["a part of a call", ["lookup", 1.5]],
    ["a number below 0", ["lookup", -1]],
    ["no number at all", ["lookup", NaN]],
    ["no name", ["", 1]],
    ["arguments that are undefined", ["lookup", 1, undefined]],
    ["arguments that are a list", ["lookup", 1, []]],
    ["an option it does not know", ["lookup", 1, {}, { tolerance: 1 }]],
  ])("refuses %s, also under .not", async (_what, args) => {
    const { result } = await lookupRun();
    for (const assertion of [expect(result), expect(result).not]) {
      expect(refusal(() => Reflect.apply(assertion.toCallToolTimes, assertion, args))).toMatchObject({
        code: "matcher-misuse",
        message: expect.stringMatching(/^toCallToolTimes: /),
      });
    }
  });

  it("refuses what has no calls to count, also under .not", () => {
    for (const received of [undefined, "a", 1, {}, [], Promise.resolve()]) {
      expect(refusal(() => expect(received).toCallToolTimes("a", 0))).toMatchObject({ code: "matcher-misuse" });
      expect(refusal(() => expect(received).not.toCallToolTimes("a", 0))).toMatchObject({ code: "matcher-misuse" });
    }
  });
});
