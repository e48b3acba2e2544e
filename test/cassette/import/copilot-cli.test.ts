import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../src/cassette/import/import.js";
import { refusal } from "../../support/refusal.js";
import { conversationOf, importOf } from "./verify.js";

type Data = Record<string, unknown>;

const timestamp = "2026-03-01T10:00:00.000Z";
let ids = 0;
const event = (type: string, data: Data = {}) => ({ type, data, id: `e${++ids}`, timestamp, parentId: null });
const start = (fields: Data = {}) => event("session.start", { sessionId: "s-1", copilotVersion: "1.0.0", ...fields });
const user = (content: string, fields: Data = {}) => event("user.message", { content, ...fields });
const answer = (content: string, fields: Data = {}) =>
  event("assistant.message", { messageId: "m", content, toolRequests: [], ...fields });
const request = (toolCallId: string, name = "view", args: Data = { path: "a" }) => ({
  toolCallId,
  name,
  arguments: args,
  type: "function",
  intentionSummary: "look",
});
const result = (toolCallId: string, fields: Data = {}) =>
  event("tool.execution_complete", {
    toolCallId,
    model: "m-1",
    success: true,
    result: { content: `of ${toolCallId}`, detailedContent: "long" },
    ...fields,
  });

function importEvents(...events: object[]): ImportedCassette[] {
  const log = events.map((each) => JSON.stringify(each)).join("\n");
  return [...importLog(log, { source: "events.jsonl", recordedAt: timestamp })];
}

function importSession(...events: object[]): ImportedCassette {
  const [only, ...more] = importEvents(...events);
  if (only === undefined || more.length > 0) throw new Error("not one run");
  return only;
}

const words = ({ cassette }: ImportedCassette) => conversationOf(cassette).map(({ content }) => content);
const repairs = ({ cassette }: ImportedCassette) => importOf(cassette).repairs;

describe("a Copilot CLI session", () => {
  it("is one run with what the model got and said", () => {
    const context = { cwd: "/w/shop", branch: "main", headCommit: "abc", repository: "o/shop" };
    const system = event("system.message", { role: "system", content: "Be brief." });
    const run = importSession(
      start({ context }),
      event("session.model_change", { newModel: "m-1" }),
      system,
      user("go", { transformedContent: "<now/>\n\ngo", attachments: [] }),
      event("assistant.turn_start", { turnId: "0" }),
      answer("", { toolRequests: [request("a"), request("b")], reasoningText: "hm", reasoningOpaque: "sig" }),
      event("tool.execution_start", { toolCallId: "a", toolName: "view", arguments: { path: "a" } }),
      result("a"),
      result("b", { success: false, result: undefined, error: { message: "denied" } }),
      system,
      answer("done", { model: "m-2", reasoningOpaque: "sig" }),
      event("session.shutdown", { modelMetrics: {} }),
    );
    expect(run).toMatchObject({ model: "m-1", task: "s-1" });
    expect(words(run)).toEqual(["Be brief.", "<now/>\n\ngo", "", "of a", "denied", "done"]);
    expect(run.cassette.entries.map(({ response }) => response)).toMatchObject([
      {
        message: {
          toolCalls: [{ id: "a", name: "view", arguments: { path: "a" } }, { id: "b" }],
          reasoning: [{ type: "text", text: "hm", signature: "sig" }],
        },
        model: "m-1",
      },
      { message: { reasoning: [{ type: "redacted", data: "sig" }] }, model: "m-2" },
    ]);
    expect(conversationOf(run.cassette)[4]).toMatchObject({ isError: true });
    expect(importOf(run.cassette).session).toEqual({
      ...{ cwd: "/w/shop", branch: "main", commit: "abc", repository: "o/shop" },
      version: "copilot-cli 1.0.0",
    });
    expect(repairs(run)).toEqual({ "meta-line-dropped": 1, "model-differs": 1 });
  });

  it("has a run for each side agent, which begins with what it was asked", () => {
    const runs = importEvents(
      start(),
      user("go"),
      answer("", { toolRequests: [request("t", "task", { prompt: "look around" })] }),
      answer("", { toolRequests: [request("x")], parentToolCallId: "t" }),
      result("x", { parentToolCallId: "t" }),
      answer("found", { parentToolCallId: "t" }),
      answer("lost", { parentToolCallId: "u" }),
      result("t"),
      answer("done"),
    );
    expect(runs.map(({ trial }) => trial)).toEqual([undefined, "agent-t", "agent-u"]);
    expect(runs.map(words)).toEqual([["go", "", "of t", "done"], ["look around", "", "of x", "found"], ["lost"]]);
    expect(repairs(runs[2] as ImportedCassette)).toEqual({ "history-missing": 1 });
  });

  it("begins a thread at a compaction, and where the user went back", () => {
    const two = user("two");
    const runs = importEvents(
      start(),
      user("one"),
      answer("1"),
      event("session.compaction_complete", { success: true, summaryContent: "sum" }),
      two,
      answer("2"),
      event("session.snapshot_rewind", { upToEventId: two.id, eventsRemoved: 2 }),
      user("three"),
      answer("3"),
    );
    expect(runs.map(words)).toEqual([
      ["one", "1"],
      ["sum", "two", "2"],
      ["sum", "three", "3"],
    ]);
    expect(runs.map(({ cassette }) => cassette.entries.length)).toEqual([1, 1, 1]);
    expect(repairs(runs[0] as ImportedCassette)).toEqual({ "history-missing": 1, "thread-forked": 1 });
  });

  it("counts what it leaves out", () => {
    const run = importSession(
      start(),
      user("go", { attachments: [{ type: "file" }] }),
      event("session.error", { message: "no" }),
      event("session.truncation"),
      event("abort", { reason: "user" }),
      event("hook.start"),
      event("from.the.future"),
      answer("done", { outputTokens: 3 }),
      event("tool.execution_start", { toolCallId: "z", toolName: "glob", arguments: { pattern: "*" } }),
      result("z"),
    );
    expect(repairs(run)).toEqual({
      "call-unanswered": 1,
      "error-exchange-dropped": 1,
      "field-dropped": 3,
      "history-missing": 1,
      "line-unknown": 1,
      "meta-line-dropped": 1,
      "tool-result-unpaired": 1,
    });
  });

  it("is read as one document in the oldest versions", () => {
    const run = importSession({
      sessionId: "s-1",
      chatMessages: [
        { role: "user", content: "go" },
        { role: "assistant", content: "done" },
      ],
      timeline: [],
    });
    expect(run).toMatchObject({ task: "s-1" });
    expect(words(run)).toEqual(["go", "done"]);
  });

  it("is refused without a message", () => {
    expect(refusal(() => importEvents(start()))).toMatchObject({
      code: "import-malformed",
      message: expect.stringContaining("it ended before its first prompt") as string,
    });
  });
});
