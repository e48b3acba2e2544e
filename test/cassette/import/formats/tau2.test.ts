import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../../src/cassette/import/import.js";
import { refusal } from "../../../support/refusal.js";
import { conversationOf, importOf } from "../verify.js";

function importResults(record: object): ImportedCassette[] {
  return [...importLog(JSON.stringify(record), { source: "results.json", recordedAt: "2026-11-20T12:00:00.000Z" })];
}

const call = (id: string, requestor = "assistant") => ({ id, name: "find", arguments: { id }, requestor });
const result = (id: string, requestor = "assistant") => ({
  role: "tool",
  id,
  content: `of ${id}`,
  requestor,
  error: false,
});
const messages = [
  { role: "assistant", content: "Hi! How can I help you today?", tool_calls: null },
  { role: "user", content: "help", tool_calls: null },
  { role: "user", content: null, tool_calls: [call("u", "user")] },
  result("u", "user"),
  {
    ...{ role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
    ...{ usage: { prompt_tokens: 9, completion_tokens: 2 }, cost: 0.1, raw_data: {} },
  },
  { role: "tool", tool_messages: [result("a"), { ...result("b"), error: true }] },
  { role: "assistant", content: "done", tool_calls: null, usage: { prompt_tokens: 12, completion_tokens: 1 } },
];
const simulation = {
  ...{ id: "x-1", task_id: "3", trial: 1, termination_reason: "user_stop", messages },
  reward_info: { reward: 1, db_check: {} },
};
const info = {
  agent_info: { llm: "m-1", llm_args: { temperature: 0 } },
  environment_info: { domain_name: "airline", tool_defs: null },
};
const tasks = [{ id: "3", evaluation_criteria: { actions: [{ name: "find", arguments: {} }] } }];

describe("tau2 results", () => {
  it("are one run for each simulation, without what the agent did not see", () => {
    const [run, ...more] = importResults({ info, tasks, simulations: [simulation] });
    expect(more).toEqual([]);
    expect(run).toMatchObject({ model: "m-1", task: "airline/task_3", trial: "1" });
    const { cassette } = run as ImportedCassette;
    expect(conversationOf(cassette).map(({ content }) => content)).toEqual([
      ...["Hi! How can I help you today?", "help", "", "of a", "of b", "done"],
    ]);
    expect(conversationOf(cassette)[4]).toMatchObject({ toolCallId: "b", name: "find", isError: true });
    expect(cassette.entries.map(({ response }) => response)).toMatchObject([
      { message: { toolCalls: [{ id: "a" }, { id: "b" }] }, usage: { inputTokens: 9 }, costUsd: 0.1 },
      { message: { content: "done" } },
    ]);
    expect(importOf(cassette)).toMatchObject({
      origin: "x-1",
      outcome: { reward: 1, termination_reason: "user_stop" },
      expected: [{ name: "find", arguments: {} }],
      repairs: { "answer-not-model": 1, "meta-line-dropped": 2, "setting-dropped": 1 },
    });
  });

  it("may be one simulation", () => {
    const [run] = importResults(simulation);
    expect(run).toMatchObject({ model: "unknown", task: "task_3", trial: "1" });
  });

  it("are refused without a simulation", () => {
    expect(refusal(() => importResults({ info, tasks, simulations: [] }))).toMatchObject({ code: "import-malformed" });
  });
});
