import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../src/cassette/import/import.js";
import { refusal } from "../../support/refusal.js";
import { conversationOf, importOf } from "./verify.js";

function importAll(record: object, format?: "atif" | "swe-agent" | "mini-swe-agent"): ImportedCassette[] {
  const options = { source: "run.json", recordedAt: "2026-11-20T12:00:00.000Z", ...(format && { format }) };
  return [...importLog(JSON.stringify(record), options)];
}

function importRun(record: object): ImportedCassette {
  const [only, ...more] = importAll(record);
  if (only === undefined || more.length > 0) throw new Error("not one run");
  return only;
}

const repairs = ({ cassette }: ImportedCassette) => importOf(cassette).repairs;
const words = ({ cassette }: ImportedCassette) => conversationOf(cassette).map(({ content }) => content);
const roles = ({ cassette }: ImportedCassette) => conversationOf(cassette).map(({ role }) => role);

describe("an ATIF trajectory", () => {
  const agent = { name: "a", version: "1", model_name: "vendor/m" };
  const head = { schema_version: "ATIF-v1.7", session_id: "run-1", agent };

  it("becomes one turn for each step of the agent, with calls, results, thoughts and tokens", () => {
    const tool = { type: "function", function: { name: "ls", description: "d", parameters: { type: "object" } } };
    const run = importRun({
      ...head,
      agent: { ...agent, tool_definitions: [tool] },
      final_metrics: { total_cost_usd: 1 },
      steps: [
        { step_id: 1, source: "system", message: "be brief" },
        { step_id: 2, source: "user", message: "list" },
        {
          step_id: 3,
          source: "agent",
          message: "",
          reasoning_content: "a list",
          tool_calls: [{ tool_call_id: "c1", function_name: "ls", arguments: { all: true } }],
          observation: { results: [{ source_call_id: "c1", content: "a b" }] },
          metrics: { prompt_tokens: 10, completion_tokens: 2, cached_tokens: 4, cost_usd: 0.1 },
        },
        { step_id: 4, source: "agent", message: "a and b" },
      ],
    });
    expect(run).toMatchObject({ model: "vendor/m", task: "run-1" });
    expect(roles(run)).toEqual(["system", "user", "assistant", "tool", "assistant"]);
    expect(run.cassette.entries[0]?.response).toMatchObject({
      message: { toolCalls: [{ id: "c1", name: "ls", arguments: { all: true } }], reasoning: [{ text: "a list" }] },
      usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 4 },
    });
    expect(run.cassette.extensions?.["contexts"]).toMatchObject([{ fromTurn: 0, tools: [{ name: "ls" }] }]);
    expect(importOf(run.cassette).outcome).toEqual({ metrics: { total_cost_usd: 1 }, notes: null });
    expect(repairs(run)).toEqual({});
  });

  it("tells an agent without calls what came back as a user does", () => {
    const run = importRun({
      ...head,
      steps: [
        { source: "user", message: "go" },
        {
          source: "agent",
          message: "ls",
          model_name: "m-1",
          observation: { results: [{ content: "a b" }, { content: null }] },
        },
        { source: "agent", message: "done", model_name: "m-2" },
      ],
    });
    expect(run.model).toBe("m-1");
    expect(words(run)).toEqual(["go", "ls", "a b", "done"]);
    expect(repairs(run)).toEqual({ "model-differs": 1, "observation-as-user": 1 });
  });

  it("begins a run of its own where the context was replaced, and for every side agent", () => {
    const replaced = { extra: { context_management: { type: "compaction", boundary: "replace" } } };
    const runs = importAll({
      ...head,
      subagent_trajectories: [{ ...head, trajectory_id: "t9", steps: [{ source: "agent", message: "side" }] }],
      steps: [
        { source: "user", message: "long" },
        { source: "agent", message: "one" },
        { source: "system", message: "summed up", ...replaced },
        { source: "user", message: "short" },
        { source: "agent", message: "two" },
      ],
    });
    expect(runs.map((run) => [run.trial, words(run)])).toEqual([
      [undefined, ["long", "one", "summed up"]],
      ["part-2", ["short", "two"]],
      ["agent-t9", ["side"]],
    ]);
  });

  it("counts steps no model made, fields without a place and steps of an unknown source", () => {
    const run = importRun({
      ...head,
      continued_trajectory_ref: "next.json",
      steps: [
        { source: "agent", message: "fixed words", llm_call_count: 0 },
        { source: "robot", message: "?" },
        { source: "user", message: "go", extra: { odd: 1 } },
        { source: "agent", message: "yes", tool_calls: ["broken"] },
      ],
    });
    expect(run.cassette.entries).toHaveLength(1);
    expect(repairs(run)).toEqual({
      "answer-not-model": 1,
      "arguments-malformed": 1,
      "call-id-missing": 1,
      "field-dropped": 2,
      "role-unknown": 1,
      "tool-name-missing": 1,
    });
  });

  it("reads a call that stands in no list, and counts results, thoughts and invalid fields", () => {
    const call = { tool_call_id: "1", function_name: "f", arguments: {}, extra: { odd: 1 } };
    const run = importRun({
      ...head,
      steps: [
        {
          source: "agent",
          message: "",
          tool_calls: call,
          reasoning_content: { odd: 1 },
          observation: { results: "x" },
        },
        { source: "agent", message: "a", observation: { results: [], extra: { odd: 1 } } },
        { source: "agent", message: "b", observation: "lost" },
      ],
    });
    expect(run.cassette.entries[0]?.response.message.toolCalls).toEqual([{ id: "1", name: "f", arguments: {} }]);
    expect(repairs(run)).toEqual({ "tool-calls-not-list": 1, "field-dropped": 5 });
  });

  it("is refused when its side agents are nested without end", () => {
    let record: object = { ...head, steps: [] };
    for (let depth = 0; depth < 20; depth++) record = { ...head, steps: [], subagent_trajectories: [record] };
    expect(refusal(() => importAll(record))).toMatchObject({
      summary: expect.stringContaining("nested deeper") as string,
    });
  });
});

describe("a SWE-agent trajectory", () => {
  const call = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" } };
  const head = { environment: "main", trajectory: [], info: { exit_status: "submitted", submission: "diff" } };

  it("reads calls and the ids of their results from its history", () => {
    const run = importRun({
      ...head,
      replay_config: JSON.stringify({ agent: { model: { name: "m-1" } } }),
      history: [
        { role: "system", content: "s", agent: "main", message_type: "system_prompt" },
        { role: "user", content: "u", agent: "main", tags: ["x"] },
        { role: "assistant", content: "t", thought: "t", action: "ls", agent: "main", tool_calls: [call] },
        { role: "tool", content: "a b", agent: "main", tool_call_ids: ["c1"] },
      ],
    });
    expect(run.model).toBe("m-1");
    expect(conversationOf(run.cassette).at(-1)).toEqual({ role: "tool", toolCallId: "c1", name: "ls", content: "a b" });
    expect(importOf(run.cassette).outcome).toMatchObject({ exit_status: "submitted", submission: "diff" });
    expect(repairs(run)).toEqual({});
  });

  it("takes an action in the text as text, and a demonstration for no turn", () => {
    const run = importRun({
      ...head,
      history: [
        { role: "user", content: "shown", agent: "p", is_demo: true },
        { role: "assistant", content: "shown too", agent: "p", is_demo: true },
        { role: "user", content: "u", agent: "p" },
        { role: "assistant", content: "ls\n", thought: "", action: "ls\n", agent: "p" },
      ],
    });
    expect(run.cassette.entries).toHaveLength(1);
    expect(words(run)).toEqual(["shown", "shown too", "u", "ls\n"]);
    expect(repairs(run)).toEqual({ "answer-not-model": 1 });
  });

  it("is one run for each attempt and for each agent of a shared history", () => {
    const said = (agent: string) => [
      { role: "user", content: `ask ${agent}`, agent },
      { role: "assistant", content: `${agent} says`, agent },
    ];
    const runs = importAll({
      attempts: [
        { ...head, history: [...said("a"), ...said("b")] },
        { ...head, history: said("a") },
      ],
    });
    expect(runs.map((run) => [run.trial, words(run)])).toEqual([
      ["attempt-1-a", ["ask a", "a says"]],
      ["attempt-1-b", ["ask b", "b says"]],
      ["attempt-2", ["ask a", "a says"]],
    ]);
  });

  it("is refused under another format's name", () => {
    expect(refusal(() => importAll({ ...head, history: [] }, "atif"))).toMatchObject({
      code: "import-malformed",
      hint: expect.stringContaining("Read it as swe-agent") as string,
    });
  });
});

describe("a mini-swe-agent trajectory", () => {
  const messages = [
    { role: "system", content: "s" },
    { role: "user", content: "u" },
    { role: "assistant", content: "ls", extra: { response: { usage: { prompt_tokens: 3, completion_tokens: 1 } } } },
    { role: "user", content: "a b" },
  ];

  it("names its model and its end, and counts tokens from the vendor's answer", () => {
    const info = { exit_status: "Submitted", submission: "x", config: { model: { model_name: "vendor/m" } } };
    const run = importRun({ info, messages, trajectory_format: "mini-swe-agent-1.1", instance_id: "i-1" });
    expect(run).toMatchObject({ model: "vendor/m", task: "i-1" });
    expect(run.cassette.entries[0]?.response.usage).toEqual({ inputTokens: 3, outputTokens: 1 });
    expect(importOf(run.cassette)).toMatchObject({
      format: "mini-swe-agent",
      outcome: { exit_status: "Submitted", submission: "x" },
      trailing: [{ role: "user", content: "a b" }],
    });
    expect(repairs(run)).toEqual({});
  });

  it("is known by the version in its account, too, while a bare list is a message log", () => {
    expect(importOf(importRun({ info: { mini_version: "1.0" }, messages }).cassette).format).toBe("mini-swe-agent");
    expect(importOf(importRun(messages).cassette).format).toBe("openai-messages");
  });
});
