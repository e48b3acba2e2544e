import { afterEach, describe, expect, it } from "vitest";
import { cassetteProvider } from "../../../src/cassette/index.js";
import { createRuntime } from "../../../src/core/index.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import "../../../src/entry/vitest.js";
import { refusal } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";
import { callRun, lookupRun, record, replay, run } from "../vitest/runs.js";

describe("toCallTool", () => {
  it("finds a call in a run's result, a recorder, a cassette and a finished replay", async () => {
    const { result, recorder, cassette } = await lookupRun();
    const replayed = await replay(cassette);
    for (const received of [result, recorder, cassette, replayed.provider, replayed.result]) {
      expect(received).toCallTool("lookup");
      expect(received).toCallTool("lookup", { city: "Paris" });
      expect(received).not.toCallTool("save");
      expect(received).not.toCallTool("lookup", { city: "Oslo" });
    }
  });

  it("wants the arguments exactly, in any order of keys", async () => {
    const { result } = await callRun({ name: "save", arguments: { to: "disk", parts: [1, { deep: true }] } });
    expect(result).toCallTool("save", { parts: [1, { deep: true }], to: "disk" });
    expect(result).not.toCallTool("save", { to: "disk" });
    expect(result).not.toCallTool("save", {});
    expect(result).not.toCallTool("save", { to: "disk", parts: [1, { deep: true }, 2] });
  });

  it("lets asymmetric matchers stand for an argument or for all of them", async () => {
    const { result } = await callRun({ name: "save", arguments: { to: "disk", parts: [1, 2] } });
    expect(result).toCallTool("save", { to: expect.stringMatching(/^d/), parts: expect.arrayContaining([2]) });
    expect(result).toCallTool("save", expect.objectContaining({ to: "disk" }));
    expect(result).not.toCallTool("save", { to: expect.any(Number), parts: expect.anything() });
  });

  it("lists the calls that were made, the nearest first, and says where they differ", async () => {
    const { result } = await callRun(
      { name: "save", arguments: { to: "disk" } },
      { name: "lookup", arguments: { city: "Rome", unit: "F" } },
      { name: "lookup", arguments: { city: "Paris", unit: "C" } },
    );
    expect(refusal(() => expect(result).toCallTool("lookup", { city: "Oslo", unit: "C" }))).toMatchObject({
      message: [
        'expected a call of lookup({"city":"Oslo","unit":"C"}), but none of the 3 calls matches (nearest first):',
        '  turn 2: lookup({"city":"Paris","unit":"C"})',
        '    /city: expected "Oslo", was "Paris"',
        '  turn 1: lookup({"city":"Rome","unit":"F"})',
        '    /city: expected "Oslo", was "Rome"',
        '    /unit: expected "C", was "F"',
        '  turn 0: save({"to":"disk"})',
        "Correct the expectation, or the prompt, tool description or tool list that misled the model.",
      ].join("\n"),
      expected: { city: "Oslo", unit: "C" },
      actual: { city: "Paris", unit: "C" },
    });
  });

  it("says which arguments are missing, too many, or not what a matcher wants", async () => {
    const { result } = await callRun({ name: "save", arguments: { list: [1, 2], more: null } });
    const { message } = refusal(() =>
      expect(result).toCallTool("save", { list: [expect.any(String)], to: "disk" }),
    ) as Error;
    expect(message).toContain("    /list/0: expected Any<String>, was 1\n");
    expect(message).toContain("    /list/1: expected nothing, was 2\n");
    expect(message).toContain('    /to: expected "disk", was nothing\n');
    expect(message).toContain("    and 1 more place\n");
  });

  it("names the matchers it expected as the runner does", async () => {
    const { result } = await callRun({ name: "save", arguments: { to: "disk" } });
    const wanted = { to: expect.stringContaining("tape"), at: expect.stringMatching(/^x/), by: expect.anything() };
    expect(refusal(() => expect(result).toCallTool("save", wanted))).toMatchObject({
      message: expect.stringMatching(
        /save\(\{"to":StringContaining "tape","at":StringMatching \/\^x\/,"by":Anything\}\)/,
      ),
    });
    const odd = { when: new Date(0), what: undefined, how: 1n, no: NaN };
    expect(refusal(() => expect(result).toCallTool("save", odd))).toMatchObject({
      message: expect.stringContaining(
        'save({"when":an object without keys,"what":undefined,"how":the bigint 1,"no":N',
      ),
    });
  });

  it("says when no tool was called, and draws nothing when only others were", async () => {
    const none = await record([say("hello")]);
    expect(refusal(() => expect(none.result).toCallTool("lookup"))).toMatchObject({
      message: expect.stringContaining("expected a call of lookup, but no tool was called.\nCorrect the expectation"),
    });
    const other = await callRun({ name: "save" });
    const error = refusal(() => expect(other.result).toCallTool("lookup", {})) as Error & { expected?: unknown };
    expect(error.message).toContain("but the only call differs:\n  turn 0: save({})\n");
    expect(error.expected).toBeUndefined();
  });

  it("lists five calls and counts the others", async () => {
    const { result } = await callRun(...Array.from({ length: 7 }, () => ({ name: "save" })));
    const { message } = refusal(() => expect(result).toCallTool("lookup")) as Error;
    expect(message.match(/^ {2}turn /gm)).toHaveLength(5);
    expect(message).toContain("\n  and 2 more calls\n");
  });

  it("says under .not at which turn the call was made", async () => {
    const { result } = await callRun({ name: "save" }, { name: "lookup", arguments: { city: "Paris" } });
    expect(refusal(() => expect(result).not.toCallTool("lookup", { city: expect.any(String) }))).toMatchObject({
      message:
        'expected no call of lookup({"city":Any<String>}), but turn 1 made it: lookup({"city":"Paris"}).\n' +
        "Remove .not, or correct the prompt or tool list that led the model to this call.",
    });
  });

  it("counts a call that was refused, and never takes malformed arguments for an object", async () => {
    const { result } = await record([
      ask([{ name: "unknown" }, { name: "lookup", malformedArguments: '{"city": ' }]),
      say("done"),
    ]);
    expect(result).toCallTool("unknown");
    expect(result).toCallTool("lookup");
    expect(refusal(() => expect(result).toCallTool("lookup", {}))).toMatchObject({
      message: expect.stringContaining('    arguments: expected {}, was "{\\"city\\": "'),
      actual: '{"city": ',
    });
  });

  it("writes control characters of recorded text as escapes and cuts what is long", async () => {
    const { result } = await callRun({ name: "save", arguments: { text: `\u202e\u001b[31m${"x".repeat(200)}` } });
    const { message } = refusal(() => expect(result).toCallTool("save", { text: "" })) as Error;
    expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(message).toContain("\\u202e");
    expect(message).not.toContain("x".repeat(81));
  });

  it("counts no turn that a replay did not give out, and says so, also under .not", async () => {
    const provider = cassetteProvider((await lookupRun()).cassette);
    for (const assertion of [expect(provider), expect(provider).not]) {
      expect(refusal(() => assertion.toCallTool("lookup"))).toMatchObject({
        code: "matcher-misuse",
        message: expect.stringContaining("toCallTool: the run did not replay 2 of 2 recorded turns"),
      });
    }
  });

  it("refuses a tampered cassette, also under .not", async () => {
    const tampered = { ...(await lookupRun()).cassette, agentId: "another" };
    for (const assertion of [expect(tampered), expect(tampered).not]) {
      expect(refusal(() => assertion.toCallTool("lookup"))).toMatchObject({ code: "envelope-hash" });
    }
  });

  it("refuses a value that is not a run, also under .not", async () => {
    for (const wrong of [undefined, "lookup", [], {}, { messages: [] }, { messages: ["lookup"] }, echoProvider()]) {
      for (const assertion of [expect(wrong), expect(wrong).not]) {
        expect(refusal(() => assertion.toCallTool("lookup"))).toMatchObject({
          code: "matcher-misuse",
          message: expect.stringContaining("toCallTool: it needs a run or a value with a cassette and was given"),
        });
      }
    }
  });

  it("refuses a Promise of a run, which was not awaited", async () => {
    const promise = lookupRun();
    expect(refusal(() => expect(promise).not.toCallTool("lookup"))).toMatchObject({
      message: expect.stringContaining("was given a Promise that was not awaited"),
    });
    await promise;
  });

  it.each([
    ["an empty name", ["", {}], 'the tool\'s name is the text ""'],
    ["a name that is not text", [/lookup/], "the tool's name is an object without keys"],
    ["undefined as arguments", ["lookup", undefined], "the arguments are undefined"],
    ["a list as arguments", ["lookup", ["Paris"]], "the arguments are a list of 1"],
    ["a text as arguments", ["lookup", "Paris"], 'the arguments are the text "Paris"'],
    ["two arguments objects", ["lookup", {}, {}], "it takes a name, one arguments object, and { tolerances }"],
  ])("refuses %s, also under .not", async (_, args, words) => {
    const { result } = await lookupRun();
    for (const assertion of [expect(result), expect(result).not]) {
      const loose = assertion as unknown as { toCallTool(...args: unknown[]): void };
      expect(refusal(() => loose.toCallTool(...args))).toMatchObject({
        code: "matcher-misuse",
        message: expect.stringContaining(`toCallTool: ${words}`),
      });
    }
  });

  describe("with equality testers of the project's own", () => {
    let isOn = false;
    afterEach(() => {
      isOn = false;
    });
    expect.addEqualityTesters([
      (a: unknown, b: unknown) =>
        isOn && typeof a === "string" && typeof b === "string" ? a.toLowerCase() === b.toLowerCase() : undefined,
    ]);

    it("lets them decide", async () => {
      const { result } = await lookupRun({ city: "PARIS" });
      expect(result).not.toCallTool("lookup", { city: "Paris" });
      isOn = true;
      expect(result).toCallTool("lookup", { city: "Paris" });
    });
  });

  it("sees the calls of every agent of a run, not of the last alone", async () => {
    const agents = ["first", "second"].map((id) => {
      const provider = scriptedProvider([ask([{ name: id }]), say("done")]);
      return { id, systemPrompt: "", provider, customTools: [tool(id, () => "ok")] };
    });
    const plan = { entry: "first", edges: [{ from: "first", to: "second" }], exits: ["second"] };
    const result = await createRuntime({ agents }).run({ goal: "go", plan });
    expect(result).toCallTool("first");
    expect(refusal(() => expect(result).not.toCallTool("second"))).toMatchObject({
      message: expect.stringContaining("turn 2 made it: second({})"),
    });
    expect(result).toCallToolBefore("first", "second");
  });

  it("counts a run that a cap ended before its calls were made", async () => {
    const provider = { turn: async () => ask([{ name: "lookup" }]) };
    const agent = { id: "a", provider, systemPrompt: "", budget: { maxToolCalls: 0 } };
    const result = await createRuntime({ agents: [agent] }).run({ goal: "go" });
    expect(result.toolCalls).toBe(0);
    expect(result).toCallTool("lookup");
    expect(await run(echoProvider())).not.toCallTool("lookup");
  });
});
