import { describe, expect, it } from "vitest";
import { createPromptReader, toCallTurns, type ModelCall } from "../../../../src/cassette/import/trace/model-calls.js";
import type { LogAssistantMessage, LogMessage } from "../../../../src/cassette/import/log-run.js";
import { readOpenAiMessages } from "../../../../src/cassette/import/formats/openai.js";
import { createRepairLog } from "../../../../src/cassette/import/repair.js";

const user = (content: string): LogMessage => ({ role: "user", content });
const answer = (content: string, calls: LogAssistantMessage["calls"] = []): LogAssistantMessage => ({
  role: "assistant",
  content,
  calls,
  reasoning: [],
});
const asks = (id: string | undefined) => answer("", [{ id, name: "weather", arguments: { city: "Paris" } }]);
const result = (callId: string | undefined): LogMessage => ({ role: "tool", callId, content: "21", isError: false });

describe("the turns of a list of model calls", () => {
  it("write what a prompt adds to the one before, also where that was cut", () => {
    const { turns } = toCallTurns(
      {
        calls: [
          { request: [user("a"), user("b")], response: answer("1") },
          { request: [user("a"), user("b"), answer("1"), user("c")], response: answer("2") },
          { request: [user("a"), user("d")], response: answer("3") },
        ],
      },
      createRepairLog(),
    );
    expect(turns.map(({ prompt }) => [prompt?.keep, prompt?.messages.length])).toEqual([
      [0, 2],
      [2, 2],
      [1, 1],
    ]);
    expect(turns.map(({ response }) => response.finalAnswer)).toEqual(["1", "2", "3"]);
  });

  it("give a call without an id the same one in every prompt, and count it once", () => {
    const repairs = createRepairLog();
    const first = [user("a")];
    const second = [user("a"), asks(undefined), result(undefined)];
    const third = [...second, answer("21"), user("b")];
    const { turns } = toCallTurns(
      {
        calls: [
          { request: first, response: asks(undefined) },
          { request: second, response: answer("21") },
          { request: third, response: answer("c") },
        ],
      },
      repairs,
    );
    expect(turns[0]?.response).toMatchObject({ stopReason: "toolUse", message: { toolCalls: [{ id: "call_0_0" }] } });
    expect(turns[1]?.prompt?.messages.at(-1)).toMatchObject({ toolCallId: "call_0_0", name: "weather" });
    expect(turns[2]?.prompt).toMatchObject({ keep: 3 });
    expect(repairs.list()).toEqual([{ kind: "call-id-missing", count: 1 }]);
  });

  it("keep usage, price, model and why an answer ended early", () => {
    const usage = { inputTokens: 1, outputTokens: 2 };
    const call: ModelCall = {
      request: [user("a")],
      response: { ...answer("1"), usage },
      stopReason: "length",
      model: "m-1",
      costUsd: 0.5,
    };
    const [turn] = toCallTurns({ calls: [call] }, createRepairLog()).turns;
    expect(turn?.response).toMatchObject({ usage, stopReason: "length", model: "m-1", costUsd: 0.5 });
  });

  it("note the tools and settings when they change, and take unsaid ones to be still in force", () => {
    const tools = [{ name: "weather", description: "", schema: {} }];
    const base = { request: [user("a")], response: answer("1") };
    const calls = [
      base,
      { ...base, tools },
      base,
      { ...base, tools, settings: { temperature: 1 } },
      { ...base, tools: [] },
    ];
    const { contexts } = toCallTurns({ calls }, createRepairLog());
    expect(contexts.map(({ fromTurn, tools, settings }) => [fromTurn, tools?.length, settings])).toEqual([
      [1, 1, undefined],
      [3, 1, { temperature: 1 }],
      [4, 0, { temperature: 1 }],
    ]);
  });
});

describe("a reader of prompts", () => {
  it("counts what a prompt repeats from an earlier one once, and every message of one prompt", () => {
    const repairs = createRepairLog();
    const read = createPromptReader(readOpenAiMessages, repairs);
    const bad = { role: "user", content: null };
    read([bad, bad]);
    expect(read([bad, bad, { role: "user", content: "b" }])).toHaveLength(3);
    expect(repairs.list()).toEqual([{ kind: "content-null", count: 2 }]);
  });
});
