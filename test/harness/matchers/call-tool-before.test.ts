import { describe, expect, it } from "vitest";
import "../../../src/entry/vitest.js";
import { refusal } from "../../support/refusal.js";
import { ask, say } from "../../support/script.js";
import { callRun, lookupRun, record } from "../vitest/runs.js";

const lookup = (city: string) => ({ name: "lookup", arguments: { city } });
const save = (city: string) => ({ name: "save", arguments: { city } });

describe("toCallToolBefore", () => {
  it("holds where each later call has an earlier one in a turn before it", async () => {
    const { result, cassette } = await callRun(lookup("Oslo"), save("Oslo"), lookup("Rome"), save("Rome"));
    for (const received of [result, cassette]) {
      expect(received).toCallToolBefore("lookup", "save");
      expect(received).not.toCallToolBefore("save", "lookup");
      expect(received).toCallToolBefore(
        { name: "save", args: { city: "Oslo" } },
        { name: "lookup", args: { city: "Rome" } },
      );
      expect(received).toCallToolBefore("lookup", { name: "lookup", args: { city: expect.stringMatching("^R") } });
    }
  });

  it("is not satisfied by a later call where an earlier one came too soon", async () => {
    const { result } = await callRun(save("Oslo"), lookup("Oslo"), save("Oslo"));
    expect(refusal(() => expect(result).toCallToolBefore("lookup", "save"))).toMatchObject({
      message: [
        "expected lookup before save, but the order is reversed:",
        "lookup:",
        '  turn 1: lookup({"city":"Oslo"})',
        "save:",
        '  turn 0: save({"city":"Oslo"})',
        '  turn 2: save({"city":"Oslo"})',
        "Correct the expectation, or the prompt or tool description that should have kept the order.",
      ].join("\n"),
    });
  });

  it("finds no order among the calls of one turn, either way round", async () => {
    const { result } = await record([ask([lookup("Oslo"), save("Oslo")]), say("done")]);
    expect(result).not.toCallToolBefore("lookup", "save");
    expect(result).not.toCallToolBefore("save", "lookup");
    expect(refusal(() => expect(result).toCallToolBefore("lookup", "save"))).toMatchObject({
      message: expect.stringContaining("but both calls are in one turn, where calls have no order:"),
    });
  });

  it("fails where one of the two was never called, also under .not", async () => {
    const { result } = await lookupRun();
    expect(refusal(() => expect(result).toCallToolBefore("lookup", "save"))).toMatchObject({
      message: expect.stringContaining("expected lookup before save, but save was never called, so there is no order."),
    });
    expect(refusal(() => expect(result).not.toCallToolBefore("pay", "save"))).toMatchObject({
      message: [
        "expected not pay before save, but pay and save were never called, so there is no order.",
        "The run called lookup.",
        "Correct the name or the arguments. Use .not.toCallTool() for a tool that must not be called.",
      ].join("\n"),
    });
    const silent = (await record([say("nothing")])).result;
    expect(refusal(() => expect(silent).not.toCallToolBefore("a", "b"))).toMatchObject({
      message: expect.stringContaining("No tool was called."),
    });
  });

  it("says under .not that the order is kept", async () => {
    const { result } = await callRun(lookup("Oslo"), save("Oslo"));
    expect(refusal(() => expect(result).not.toCallToolBefore("lookup", "save"))).toMatchObject({
      message: expect.stringContaining("expected not lookup before save, but that is the order:\nlookup:\n  turn 0:"),
    });
  });

  it.each([
    ["one call", ["lookup"]],
    ["no name", ["lookup", ""]],
    ["one call twice", ["lookup", "lookup"]],
    ["a third", ["lookup", "save", "pay"]],
    ["arguments that are undefined", ["lookup", { name: "save", args: undefined }]],
    ["a field it does not know", ["lookup", { name: "save", arguments: {} }]],
    ["a list", [["lookup"], "save"]],
  ])("refuses %s, also under .not", async (_what, args) => {
    const { result } = await lookupRun();
    for (const assertion of [expect(result), expect(result).not]) {
      expect(refusal(() => Reflect.apply(assertion.toCallToolBefore, assertion, args))).toMatchObject({
        code: "matcher-misuse",
      });
    }
  });
});
