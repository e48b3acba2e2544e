import { describe, expect, it } from "vitest";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { agentErrorOf, hello } from "../../support/wire.js";

const say = (content: string): LlmTurnResponse => ({
  message: { role: "assistant", content },
  finalAnswer: content,
  stopReason: "stop",
});

describe("scriptedProvider", () => {
  it("PLK-22 answers step by step and reports no cost", async () => {
    const provider = scriptedProvider([say("one"), say("two")]);
    expect(provider.name).toBe("scripted");
    expect([await provider.turn(hello), await provider.turn(hello)]).toStrictEqual([say("one"), say("two")]);
  });

  it("asks a function step with the request and the number of the turn", async () => {
    const provider = scriptedProvider([
      say("one"),
      (request, turnIndex) => say(`${request.messages.length} in turn ${turnIndex}`),
      async () => say("later"),
    ]);
    await provider.turn(hello);
    expect((await provider.turn(hello)).finalAnswer).toBe("1 in turn 1");
    expect((await provider.turn(hello)).finalAnswer).toBe("later");
  });

  it.each([
    ["scriptedProvider was given undefined", undefined],
    ["scriptedProvider was given an object", say("one")],
    ['step 1 of scriptedProvider is "two"', [say("one"), "two"]],
    ["step 0 of scriptedProvider is a list", [[say("one")]]],
    ["step 0 of scriptedProvider is undefined", new Array(1)],
  ])("%s: refused at once", async (message, steps) => {
    const error = await agentErrorOf(() => scriptedProvider(steps as never));
    expect([error.code, error.message]).toEqual(["invalid-options", message]);
    expect(error.hint).toContain("Pass a list of responses");
  });

  it("fails when the script runs dry, naming how many steps there were", async () => {
    const provider = scriptedProvider([say("one")]);
    await provider.turn(hello);
    for (const attempt of [1, 2]) {
      const error = await agentErrorOf(() => provider.turn(hello));
      expect(error, `attempt ${attempt}`).toMatchObject({ code: "script-exhausted" });
      expect(error.message).toContain("1 step ");
    }
  });

  it("says how many steps are left, until all are used", async () => {
    const provider = scriptedProvider([say("one"), say("two"), say("three")]);
    await provider.turn(hello);
    expect(provider.remaining).toBe(2);
    const error = await agentErrorOf(() => provider.assertConsumed());
    expect(error).toMatchObject({ code: "script-unused" });
    expect(error.message).toContain("2 of 3 steps");
    await provider.turn(hello);
    await provider.turn(hello);
    expect(() => provider.assertConsumed()).not.toThrow();
    expect(provider.remaining).toBe(0);
  });

  it("begins again after reset", async () => {
    const provider = scriptedProvider([say("one"), (_request, turnIndex) => say(`turn ${turnIndex}`)]);
    const runs = [];
    for (const _ of [1, 2]) {
      runs.push([await provider.turn(hello), await provider.turn(hello)]);
      provider.reset();
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(provider.remaining).toBe(2);
  });

  it("hands out copies: what the caller freezes or changes is never the script's", async () => {
    const step = say("one");
    const shared = say("shared");
    const provider = scriptedProvider([step, () => shared]);
    step.finalAnswer = "changed after the script was built";
    const first = await provider.turn(hello);
    Object.freeze(first.message);
    const second = await provider.turn(hello);
    expect(second).not.toBe(shared);
    expect(Object.isFrozen(step.message)).toBe(false);
    provider.reset();
    const again = await provider.turn(hello);
    expect(again).toEqual(say("one"));
    expect(again.message).not.toBe(first.message);
  });

  it("refuses a step that cannot be recorded when the script is built", async () => {
    const broken = { ...say("one"), costUsd: Number.NaN };
    expect(await agentErrorOf(() => scriptedProvider([broken]))).toMatchObject({ code: "not-json" });
  });

  it("gives concurrent turns one step each", async () => {
    const provider = scriptedProvider([async () => say("one"), say("two")]);
    const answers = await Promise.all([provider.turn(hello), provider.turn(hello)]);
    expect(answers.map((answer) => answer.finalAnswer)).toEqual(["one", "two"]);
  });

  it("uses no step for a turn whose signal has fired", async () => {
    const provider = scriptedProvider([say("one")]);
    const error = await agentErrorOf(() => provider.turn({ ...hello, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "aborted" });
    expect(provider.remaining).toBe(1);
  });
});
