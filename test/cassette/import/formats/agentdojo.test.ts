import { describe, expect, it } from "vitest";
import { importOf, importOne, readConversation, repairsOf } from "../verify.js";

const part = (content: string) => [{ type: "text", content }];
const call = { function: "f", args: { a: 1 }, id: "1", placeholder_args: null };
const calling = (...calls: unknown[]) => ({ role: "assistant", content: "", tool_calls: calls });
const result = (content: unknown, error: unknown, id: unknown = "1") => ({
  role: "tool",
  content,
  tool_call_id: id,
  tool_call: { function: "f", args: { a: 1 }, id },
  error,
});
const run = (...messages: unknown[]) => ({
  suite_name: "banking",
  pipeline_name: "gpt",
  user_task_id: "user_task_1",
  injection_task_id: null,
  attack_type: null,
  messages,
  error: null,
  utility: true,
  security: false,
});

describe("an AgentDojo run", () => {
  it("is named after its pipeline, suite and task", () => {
    expect(importOne(run(calling()))).toMatchObject({
      model: "gpt",
      task: "banking/user_task_1",
      path: "gpt/banking/user_task_1.cassette.json",
    });
  });

  it("is named by its wrapper where there is one", () => {
    const record = {
      source: "repo:path",
      model: "gpt/4",
      task: "banking/user_task_9",
      attack: null,
      data: run(calling()),
    };
    const imported = importOne(record);
    expect(imported.path).toBe("gpt_4/banking/user_task_9.cassette.json");
    expect(importOf(imported.cassette)).toEqual({
      format: "agentdojo",
      source: "log.json",
      origin: "repo:path",
      model: "gpt/4",
      task: "banking/user_task_9",
      outcome: { utility: true, security: false, error: null },
      repairs: {},
    });
  });

  it("under attack is named after the injection and the attack too", () => {
    const named = (fields: object) => importOne({ ...run(calling()), ...fields }).task;
    expect(named({ injection_task_id: "injection_task_3", attack_type: "important_instructions" })).toBe(
      "banking/user_task_1.injection_task_3.important_instructions",
    );
    expect(named({ injection_task_id: "injection_task_3", attack_type: "direct" })).toBe(
      "banking/user_task_1.injection_task_3.direct",
    );
    expect(named({ attack_type: "dos" })).toBe("banking/user_task_1.dos");
  });

  it("keeps the error it ended in, and nulls where the judgement is missing", () => {
    const { utility: _, ...rest } = run(calling());
    const imported = importOne({ ...rest, error: "500" });
    expect(importOf(imported.cassette).outcome).toEqual({ utility: null, security: false, error: "500" });
  });

  it("reads calls and parts in AgentDojo's words", () => {
    const record = run(
      { role: "system", content: part("s") },
      { role: "user", content: part("u") },
      { role: "assistant", content: part("t"), tool_calls: [call] },
      result(part("r"), null),
      { role: "assistant", content: null, tool_calls: null },
    );
    expect(readConversation(record)).toEqual([
      { role: "system", content: "s" },
      { role: "user", content: "u" },
      { role: "assistant", content: "t", toolCalls: [{ id: "1", name: "f", arguments: { a: 1 } }] },
      { role: "tool", toolCallId: "1", name: "f", content: "r" },
      { role: "assistant", content: "" },
    ]);
    expect(repairsOf(record)).toEqual({ "content-list-joined": 4, "content-null": 1, "tool-calls-null": 1 });
  });

  it.each([
    ["", "E", "E", true, {}],
    [part(""), "E", "E", true, { "content-list-joined": 1 }],
    [null, "E", "E", true, { "content-null": 1 }],
    ["r", "E", "r\nE", true, { "tool-error-joined": 1 }],
    ["r", "", "r", false, {}],
    ["", null, "", false, {}],
  ])("tells the result %j with the error %j as %j", (content, error, text, isError, repairs) => {
    const record = run(calling(call), result(content, error));
    expect(readConversation(record)[1]).toEqual({
      role: "tool",
      toolCallId: "1",
      name: "f",
      content: text,
      ...(isError ? { isError: true } : {}),
    });
    expect(repairsOf(record)).toEqual(repairs);
  });

  it("gives ids to calls that have none, and results follow", () => {
    const { id: _, ...nameless } = call;
    const record = run(calling(nameless, { ...call, id: "" }), result("1", null, null), result("2", null, ""));
    expect(readConversation(record)).toMatchObject([
      { toolCalls: [{ id: "call_0_0" }, { id: "call_0_1" }] },
      { toolCallId: "call_0_0", content: "1" },
      { toolCallId: "call_0_1", content: "2" },
    ]);
    expect(repairsOf(record)).toEqual({ "call-id-missing": 1, "call-id-empty": 1 });
  });

  it("counts placeholder arguments that hold something, and a value that is not a call list", () => {
    expect(repairsOf(run(calling({ ...call, placeholder_args: { a: "x" } })))).toEqual({
      "placeholder-args-dropped": 1,
    });
    expect(repairsOf(run({ role: "assistant", content: "", tool_calls: call }))).toEqual({ "tool-calls-not-list": 1 });
    expect(repairsOf(run(calling({ ...call, mood: "good" })))).toEqual({ "field-dropped": 1 });
    expect(
      repairsOf(run({ role: "tool", content: "x", tool_call_id: "1", tool_call: call, error: { odd: 1 } })),
    ).toEqual({ "field-dropped": 1, "no-assistant-message": 1, "tool-result-unpaired": 1 });
    expect(readConversation(run(calling("what")))).toMatchObject([
      { toolCalls: [{ name: "unknown", malformedArguments: "what" }] },
    ]);
  });

  it("keeps messages it does not know", () => {
    const record = run({ role: "judge", content: "x" }, 7, { role: "assistant", content: "a", mood: "good" });
    expect(readConversation(record).slice(0, 2)).toEqual([
      { role: "user", content: '{"content":"x","role":"judge"}' },
      { role: "user", content: "7" },
    ]);
    expect(repairsOf(record)).toEqual({ "role-unknown": 2, "field-dropped": 1 });
  });
});
