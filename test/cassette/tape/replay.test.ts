import { afterAll, describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatToolDrift } from "../../../src/cassette/tape/watch.js";
import { TapeMissError } from "../../../src/cassette/tape/miss.js";
import { cassetteTools } from "../../../src/cassette/tape/replay.js";
import { ToolArgError, ToolPolicyError } from "../../../src/core/errors.js";
import { MAX_RESULT_CHARACTERS } from "../../../src/core/limits.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import type { RunResult } from "../../../src/core/runtime/run-plan.js";
import type { CustomTool } from "../../../src/core/tools/tool.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { fixedPorts, recordTurns, weatherCassette } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

afterAll(verifyKept);

const look = (city: string) => ({ name: "look", arguments: { city } });

function run(provider: LlmProviderAdapter, customTools: readonly CustomTool[]): Promise<RunResult> {
  return createRuntime({ agents: [{ id: "a", systemPrompt: "", provider, customTools }] }).run({ goal: "go" });
}

async function record(script: readonly LlmTurnResponse[], tools: readonly CustomTool[]) {
  const recorder = recordingProvider(scriptedProvider(script), { ports: fixedPorts() });
  const live = await run(recorder, tools);
  return { live, cassette: recordedCassette(recorder) };
}

/** Looks at Oslo twice at once and once more, and each time it is another weather. */
async function threeLooks(): Promise<{ live: RunResult; cassette: CassetteV2; tools: CustomTool[] }> {
  const script = [ask([look("Oslo"), look("Oslo")]), ask([look("Rome"), look("Oslo")]), say("done")];
  let count = 0;
  const tools = [tool("look", () => `sky ${count++}`)];
  return { ...(await record(script, tools)), tools };
}

const dead = tool("look", () => {
  throw new Error("a live tool was asked");
});

async function missOf(promise: Promise<unknown>): Promise<TapeMissError> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(TapeMissError);
  return error as TapeMissError;
}

describe("cassetteTools", () => {
  it("answers equal calls in recorded order, and no live tool is asked", async () => {
    const { live, cassette } = await threeLooks();
    const tape = cassetteTools(cassette);
    const again = await run(cassetteProvider(cassette), tape.replace([dead]));
    expect(again.messages).toEqual(live.messages);
    expect(tape.results.map(({ turn, key, content }) => [turn, key, content])).toEqual([
      [0, 'look({"city":"Oslo"})', "sky 0"],
      [0, 'look({"city":"Oslo"})', "sky 1"],
      [1, 'look({"city":"Rome"})', "sky 2"],
      [1, 'look({"city":"Oslo"})', "sky 3"],
    ]);
    expect(tape.unused()).toEqual([]);
    tape.assertConsumed();
  });

  it.each([
    ["others", "Rome"],
    ["equal ones", "Oslo"],
  ])("finds the results of calls of one id where a prompt lists them again: %s", async (_, second) => {
    const call = (city: string) => ({
      ...{ role: "assistant" as const, content: "" },
      toolCalls: [{ id: "call_0", name: "look", arguments: { city } }],
    });
    const result = (content: string): LlmMessage => ({ role: "tool", toolCallId: "call_0", name: "look", content });
    const [first, next] = [
      [call("Oslo"), result("rain")],
      [call(second), result("sun")],
    ];
    const prompts = [[], first, [...first, ...next]].map((messages, step) => [
      { role: "user" as const, content: `step ${step}` },
      ...messages,
    ]);
    const answers = [call("Oslo"), call(second), { role: "assistant" as const, content: "done" }];
    const cassette = await recordTurns(
      prompts.map((messages) => ({ messages })),
      answers.map((message) => ({ message, stopReason: "toolCalls" in message ? "toolUse" : "stop" })),
    );
    expect(cassetteTools(cassette).results.map(({ content }) => content)).toEqual(["rain", "sun"]);
  });

  it("takes bare definitions, and keeps what a whole tool says of itself", async () => {
    const { cassette } = await threeLooks();
    const { name, description, schema } = dead;
    const [bare, whole] = cassetteTools(cassette).replace([
      { name, description, schema },
      { ...dead, effect: "write", retryPolicy: "idempotent", timeoutMs: 7 },
    ]);
    expect(bare).toEqual({ name, description, schema, invoke: expect.any(Function) as unknown });
    expect(whole).toMatchObject({ effect: "write", retryPolicy: "idempotent", timeoutMs: 7 });
  });

  it("replays a failure as a failure, and a refused call as refused", async () => {
    const tools = [
      tool("fail", () => {
        throw new Error("no such city");
      }),
      tool("picky", () => {
        throw new ToolArgError("not this one");
      }),
    ];
    const { live, cassette } = await record(
      [ask([{ name: "fail" }, { name: "picky" }, { name: "none" }]), say("x")],
      tools,
    );
    const tape = cassetteTools(cassette);
    const again = await run(cassetteProvider(cassette), tape.replace(tools));
    expect(again.messages).toEqual(live.messages);
    expect(tape.unused()).toEqual([]);
  });

  it("gives a result that was cut again as it was", async () => {
    const long = "é".repeat(MAX_RESULT_CHARACTERS + 7);
    const tools = [tool("look", () => long), tool("fail", () => Promise.reject(new Error(long)))];
    const { live, cassette } = await record([ask([look("Oslo"), { name: "fail" }]), say("x")], tools);
    const again = await run(cassetteProvider(cassette), cassetteTools(cassette).replace(tools));
    expect(again.messages).toEqual(live.messages);
    expect(JSON.stringify(again.messages)).toContain("7 more characters");
  });

  it("gives keys that reach prototypes no say, as no tool is given them", async () => {
    const args = JSON.parse('{"city":"Oslo","__proto__":{"a":1}}') as Record<string, string>;
    const { live, cassette } = await record(
      [ask([{ name: "look", arguments: args }]), say("x")],
      [tool("look", () => 1)],
    );
    const again = await run(cassetteProvider(cassette), cassetteTools(cassette).replace([dead]));
    expect(again.messages).toEqual(live.messages);
  });

  it("stands in for verbs, too", async () => {
    const verbs = { ...cassetteTools(await weatherCassette()).verbs, connect: () => ({ kind: "page" }) };
    const script = [ask([{ name: "connect", arguments: { uri: "https://a.example/" } }]), say("x")];
    const recorder = recordingProvider(scriptedProvider(script), { ports: fixedPorts() });
    const agent = { id: "a", systemPrompt: "", tools: ["connect"] };
    const live = await createRuntime({ verbs, agents: [{ ...agent, provider: recorder }] }).run({ goal: "go" });
    const cassette = recordedCassette(recorder);
    const tape = cassetteTools(cassette);
    const provider = cassetteProvider(cassette);
    const again = await createRuntime({ verbs: tape.verbs, agents: [{ ...agent, provider }] }).run({ goal: "go" });
    expect(again.messages).toEqual(live.messages);
    tape.assertConsumed();
  });

  it("reads each result once if a prompt was rewritten", async () => {
    const called = ask([{ id: "c", ...look("Oslo") }]);
    const result: LlmMessage = { role: "tool", toolCallId: "c", name: "look", content: "rain" };
    const recorder = recordingProvider(scriptedProvider([called, say("a"), say("b")]), { ports: fixedPorts() });
    const go: LlmMessage = { role: "user", content: "go" };
    await recorder.turn({ messages: [go] });
    await recorder.turn({ messages: [go, called.message, result] });
    await recorder.turn({
      messages: [{ role: "user", content: "in short" }, called.message, { ...result, content: "cut" }],
    });
    expect(cassetteTools(recordedCassette(recorder)).results).toMatchObject([{ turn: 0, content: "rain" }]);
  });

  it("refuses a recording that keeps hashes only, and one that was edited", async () => {
    const bare = await weatherCassette({ prompts: false });
    const error = refusal(() => cassetteTools(bare, { file: "w.cassette.json" })) as CassetteError;
    expect([error.code, error.file]).toEqual(["invalid-options", "w.cassette.json"]);
    const edited = { ...(await weatherCassette()), recordedProvider: "other" };
    expect((refusal(() => cassetteTools(edited)) as CassetteError).code).toBe("envelope-hash");
    expect(() => cassetteTools(bare, { strict: true } as object)).toThrow(/unknown option: strict/);
    for (const options of [null, "a.cassette.json"])
      expect(() => cassetteTools(bare, options as never)).toThrow(/cassetteTools cannot use the options/);
  });
});

describe("a call that is not on the tape", () => {
  it("ends the run and names the nearest recorded call", async () => {
    const { cassette } = await threeLooks();
    const tape = cassetteTools(cassette, { file: "l.cassette.json" });
    const error = await missOf(run(scriptedProvider([ask([look("Rom")]), say("x")]), tape.replace([dead])));
    expect(error).toBeInstanceOf(ToolPolicyError);
    expect(error.message).toBe(
      [
        'look({"city":"Rom"}) is not on the tape',
        '  nearest  turn 0: look({"city":"Oslo"})',
        "  at       /city",
        '  recorded "Oslo"',
        '  now      "Rom"',
        "  file     l.cassette.json",
      ].join("\n"),
    );
    expect(error.miss).toMatchObject({ kind: "unknown-call", key: 'look({"city":"Rom"})', pointer: "/city" });
  });

  it("says that no call of the tool was recorded", async () => {
    const { cassette } = await threeLooks();
    const tools = cassetteTools(cassette).replace([tool("other", () => "")]);
    const error = await missOf(run(scriptedProvider([ask([{ name: "other" }]), say("x")]), tools));
    expect(error.message).toBe("other({}) is not on the tape: the recording has calls of look only");
  });

  it("says that all equal ones were used", async () => {
    const { cassette } = await threeLooks();
    const script = [ask([look("Rome")]), ask([look("Rome")]), say("x")];
    const error = await missOf(run(scriptedProvider(script), cassetteTools(cassette).replace([dead])));
    expect(error.miss).toMatchObject({ kind: "exhausted", nearest: { turn: 1, used: true } });
    expect(error.message).toContain("was recorded once, and the run makes it once more");
  });

  it("says that the recorded run ended with it", async () => {
    const recorder = recordingProvider(scriptedProvider([ask([look("Oslo")])]), { ports: fixedPorts() });
    await recorder.turn({ messages: [{ role: "user", content: "go" }] });
    const tape = cassetteTools(recordedCassette(recorder));
    const error = await missOf(run(scriptedProvider([ask([look("Oslo")]), say("x")]), tape.replace([dead])));
    expect(error.miss.kind).toBe("no-result");
    expect(tape.unused()).toEqual([]);
  });
});

describe("results that no call has taken", () => {
  it("are listed, and assertConsumed throws", async () => {
    const { cassette } = await threeLooks();
    const tape = cassetteTools(cassette);
    await run(scriptedProvider([ask([look("Oslo")]), say("x")]), tape.replace([dead]));
    expect(tape.unused().map(({ content }) => content)).toEqual(["sky 1", "sky 2", "sky 3"]);
    const error = refusal(() => tape.assertConsumed()) as CassetteError;
    expect(error.code).toBe("unconsumed");
    expect(error.summary).toContain('3 recorded tool results were not used: look({"city":"Oslo"}) of turn 0, ');
    tape.reset();
    expect(tape.unused()).toHaveLength(4);
  });
});

describe("watched tools", () => {
  it("say where a live tool answers otherwise, and the run goes on with the live answer", async () => {
    const { cassette } = await threeLooks();
    const tape = cassetteTools(cassette);
    const tools = tape.watch([tool("look", ({ city }) => (city === "Oslo" ? "sky 0" : "snow"))]);
    const error = (await rejection(run(cassetteProvider(cassette), tools))) as CassetteError;
    expect(error.code).toBe("prompt-changed");
    expect(tape.drift).toEqual([
      {
        key: 'look({"city":"Oslo"})',
        turn: 0,
        what: "now answers differently",
        recorded: '"sky 1"',
        actual: '"sky 0"',
      },
    ]);
    expect(formatToolDrift(tape.drift)).toBe(
      'turn 0: look({"city":"Oslo"}) now answers differently\n  recorded "sky 1"\n  now      "sky 0"',
    );
  });

  it("find every difference where the run goes on with the recorded answer", async () => {
    const { live, cassette } = await threeLooks();
    const tape = cassetteTools(cassette);
    const tools = tape.watch([tool("look", () => Promise.reject(new Error("down")))], { answer: "recorded" });
    const again = await run(cassetteProvider(cassette), tools);
    expect(again.messages).toEqual(live.messages);
    expect(tape.drift.map(({ turn, what, actual }) => [turn, what, actual])).toEqual(
      [0, 0, 1, 1].map((turn) => [turn, "now fails", '"down"']),
    );
  });

  it("find nothing where the tool answers the same", async () => {
    let count = 0;
    const { live, cassette } = await threeLooks();
    const tape = cassetteTools(cassette);
    const again = await run(cassetteProvider(cassette), tape.watch([tool("look", () => `sky ${count++}`)]));
    expect([tape.drift, again.messages]).toEqual([[], live.messages]);
  });

  it("say that a call is not on the tape, and leave a denial as it is", async () => {
    const tape = cassetteTools(await weatherCassette());
    const denial = new ToolPolicyError("no");
    const deny = tool("deny", () => {
      throw denial;
    });
    const tools = tape.watch([tool("look", () => "new"), deny]);
    const script = [ask([look("Oslo")]), ask([{ name: "deny" }]), say("x")];
    expect(await rejection(run(scriptedProvider(script), tools))).toBe(denial);
    expect(tape.drift).toEqual([
      { key: 'look({"city":"Oslo"})', what: "is not on the tape, or was already used", actual: '"new"' },
    ]);
  });
});
