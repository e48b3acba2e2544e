import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../src/cassette/import/import.js";
import { refusal } from "../../support/refusal.js";
import { conversationOf, importOf } from "./verify.js";

type Event = Record<string, unknown>;

function importEvents(...events: Event[]): ImportedCassette[] {
  const log = events.map((event) => JSON.stringify(event)).join("\n");
  return [...importLog(log, { source: "out.jsonl", recordedAt: "2026-11-20T12:00:00.000Z" })];
}

function importThread(...events: Event[]): ImportedCassette {
  const [only, ...more] = importEvents(...events);
  if (only === undefined || more.length > 0) throw new Error("not one thread");
  return only;
}

const thread = { type: "thread.started", thread_id: "t-1" };
const begun = { type: "turn.started" };
const started = (item: Event): Event => ({ type: "item.started", item });
const ended = (item: Event): Event => ({ type: "item.completed", item });
const done = (input: number, output: number): Event => ({
  type: "turn.completed",
  usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output },
});
const repairs = ({ cassette }: ImportedCassette) => importOf(cassette).repairs;
const messages = ({ cassette }: ImportedCassette) => conversationOf(cassette);

describe("the output of codex exec", () => {
  it("is one run, in which a result ends an answer", () => {
    const command = (fields: Event) => ({ id: "c1", type: "command_execution", command: "ls", ...fields });
    const run = importThread(
      thread,
      begun,
      ended({ id: "r1", type: "reasoning", text: "hm" }),
      started(command({ status: "in_progress" })),
      ended(command({ aggregated_output: "none", exit_code: 2, status: "failed" })),
      ended({
        ...{ id: "m1", type: "mcp_tool_call", server: "s", tool: "t", arguments: { q: 1 }, status: "completed" },
        result: { content: [{ type: "text", text: "found" }] },
      }),
      ended({ id: "a1", type: "agent_message", text: "done" }),
      done(10, 2),
    );
    expect(run).toMatchObject({ model: "unknown", task: "t-1" });
    expect(messages(run)).toEqual([
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c1", name: "shell", arguments: { command: "ls" } }],
        reasoning: [{ type: "text", text: "hm" }],
      },
      { role: "tool", toolCallId: "c1", name: "shell", content: "none", isError: true },
      { role: "assistant", content: "", toolCalls: [{ id: "m1", name: "mcp__s__t", arguments: { q: 1 } }] },
      { role: "tool", toolCallId: "m1", name: "mcp__s__t", content: "found" },
      { role: "assistant", content: "done" },
    ]);
    expect(run.cassette.entries.map(({ response }) => response.usage?.inputTokens)).toEqual([undefined, undefined, 10]);
    expect(repairs(run)).toEqual({ "history-missing": 1 });
  });

  it("gives each turn what its total adds to the one before", () => {
    const run = importThread(
      thread,
      begun,
      ended({ id: "1", type: "agent_message", text: "a" }),
      done(10, 2),
      begun,
      ended({ id: "2", type: "agent_message", text: "b" }),
      done(25, 5),
    );
    const usages = run.cassette.entries.map(({ response }) => response.usage);
    expect(usages).toMatchObject([
      { inputTokens: 10, outputTokens: 2 },
      { inputTokens: 15, outputTokens: 3 },
    ]);
    expect(repairs(run)).toEqual({ "history-missing": 2 });
  });

  it("joins deltas, and takes the whole item where there is one", () => {
    const delta = (type: string, item: Event): Event => ({ type: `item.${type}.delta`, item });
    const run = importThread(
      thread,
      begun,
      delta("input_text", { id: "u", type: "input_text", role: "user", content: "go" }),
      delta("agent_message", { id: "a", type: "agent_message", content: { type: "text", text: "do" } }),
      delta("agent_message", { id: "a", type: "agent_message", content: { type: "text", text: "n" } }),
      ended({ id: "a", type: "agent_message", text: "done" }),
    );
    expect(messages(run)).toEqual([
      { role: "user", content: "go" },
      { role: "assistant", content: "done" },
    ]);
    expect(repairs(run)).toEqual({});
  });

  it("counts failures and what it does not know, and keeps the error of the last turn", () => {
    const run = importThread(
      thread,
      begun,
      ended({ id: "a", type: "agent_message", text: "a" }),
      ended({ id: "x", type: "from_the_future" }),
      { type: "thread/tokenUsage/updated" },
      { type: "error", message: "reconnecting" },
      { type: "from.the.future" },
      { type: "turn.failed", error: { message: "no quota" } },
    );
    expect(importOf(run.cassette).outcome).toEqual({ error: "no quota" });
    expect(repairs(run)).toEqual({
      "error-exchange-dropped": 2,
      "history-missing": 1,
      "line-unknown": 2,
      "meta-line-dropped": 1,
    });
  });

  it("holds several threads", () => {
    const item = ended({ id: "a", type: "agent_message", text: "a" });
    const runs = importEvents(thread, begun, item, thread, begun, item, { ...thread, thread_id: "t-2" }, begun, item);
    expect(runs.map(({ task, cassette }) => [task, cassette.entries.length])).toEqual([
      ["t-1", 2],
      ["t-2", 1],
    ]);
  });

  it("is refused without any item", () => {
    expect(refusal(() => importEvents(thread, begun))).toMatchObject({
      code: "import-malformed",
      message: expect.stringContaining("it ended before the model answered") as string,
    });
  });
});
