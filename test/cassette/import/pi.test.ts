import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../src/cassette/import/import.js";
import { refusal } from "../../support/refusal.js";
import { conversationOf, importOf } from "./verify.js";

type Line = Record<string, unknown>;

const timestamp = "2026-03-01T10:00:00.000Z";
const header = { type: "session", version: 3, id: "s-1", timestamp, cwd: "/w/shop" };
let ids = 0;

/** A line of version 3 after `parentId`, with its id. */
function entry(type: string, parentId: string | null, fields: Line): Line & { id: string } {
  return { type, id: `e${++ids}`, parentId, timestamp, ...fields };
}

const message = (role: string, fields: Line): Line => ({ message: { role, timestamp: 1, ...fields } });
const user = (content: unknown): Line => message("user", { content });
const usage = { input: 5, output: 2, cacheRead: 3, cacheWrite: 1, cost: { total: 0.5 } };
const answer = (content: unknown, fields: Line = {}): Line =>
  message("assistant", { content, provider: "p", model: "m-1", stopReason: "stop", usage, ...fields });
const text = (words: string) => [{ type: "text", text: words }];
const call = (id: string) => ({ type: "toolCall", id, name: "read", arguments: { id } });
const result = (toolCallId: string, isError = false): Line =>
  message("toolResult", {
    toolCallId,
    toolName: "read",
    content: text(`of ${toolCallId}`),
    isError,
    details: { a: 1 },
  });

function importLines(...lines: Line[]): ImportedCassette[] {
  const log = lines.map((line) => JSON.stringify(line)).join("\n");
  return [...importLog(log, { source: "s.jsonl", recordedAt: timestamp })];
}

/** Lines of version 1, which follow one another. */
function importLinear(...fields: Line[]): ImportedCassette {
  const lines = fields.map((line) => ({ type: "message", timestamp, ...line }));
  const [only, ...more] = importLines(header, ...lines);
  if (only === undefined || more.length > 0) throw new Error("not one thread");
  return only;
}

const words = ({ cassette }: ImportedCassette) => conversationOf(cassette).map(({ content }) => content);
const repairs = ({ cassette }: ImportedCassette) => importOf(cassette).repairs;

describe("a pi session", () => {
  it("is one run with calls, thoughts, tokens, prices and models", () => {
    const thought = { type: "thinking", thinking: "hm", thinkingSignature: "sig" };
    const run = importLinear(
      user("go"),
      answer([thought, ...text("I read."), call("a")], { stopReason: "toolUse" }),
      result("a", true),
      answer(text("done"), { model: "m-2", stopReason: "length", usage: { ...usage, cost: { total: 0 } } }),
    );
    expect(run).toMatchObject({ model: "m-1", task: "s-1" });
    expect(words(run)).toEqual(["go", "I read.", "of a", "done"]);
    expect(run.cassette.entries.map(({ response }) => response)).toMatchObject([
      {
        message: {
          toolCalls: [{ id: "a", name: "read", arguments: { id: "a" } }],
          reasoning: [{ type: "text", text: "hm", signature: "sig" }],
        },
        usage: { inputTokens: 9, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 1 },
        costUsd: 0.5,
        model: "m-1",
      },
      { model: "m-2", stopReason: "length" },
    ]);
    expect(run.cassette.entries[1]?.response).not.toHaveProperty("costUsd");
    expect(conversationOf(run.cassette)[2]).toMatchObject({ isError: true });
    expect(importOf(run.cassette).session).toEqual({ cwd: "/w/shop", version: "pi" });
    expect(repairs(run)).toEqual({ "model-differs": 1 });
  });

  it("leaves out answers that failed, unless their calls have results", () => {
    const run = importLinear(
      user("one"),
      answer(text("half"), { stopReason: "aborted" }),
      user("two"),
      answer([call("a")], { stopReason: "error" }),
      result("a"),
      answer(text("done")),
    );
    expect(words(run)).toEqual(["one", "two", "", "of a", "done"]);
    expect(repairs(run)).toEqual({ "error-exchange-dropped": 2 });
  });

  it("is a thread for each branch", () => {
    const one = entry("message", null, user("one"));
    const first = entry("message", one.id, answer(text("1")));
    const other = entry("message", one.id, answer(text("other")));
    const lost = entry("message", first.id, user("lost"));
    const two = entry("message", first.id, user("two"));
    const last = entry("message", two.id, answer(text("2")));
    const runs = importLines(header, one, first, other, lost, two, last);
    expect(runs.map(words)).toEqual([
      ["one", "other"],
      ["one", "1", "two", "2"],
    ]);
    expect(runs.map(({ trial }) => trial)).toEqual([undefined, "thread-2"]);
    expect(repairs(runs[0] as ImportedCassette)).toEqual({ "branch-unanswered": 1, "thread-forked": 1 });
  });

  it("begins a thread with the summary of a compaction and what it kept", () => {
    const one = entry("message", null, user("one"));
    const first = entry("message", one.id, answer(text("1")));
    const two = entry("message", first.id, user("two"));
    const second = entry("message", two.id, answer(text("2")));
    const cut = entry("compaction", second.id, { summary: "sum", firstKeptEntryId: two.id });
    const three = entry("message", cut.id, user("three"));
    const third = entry("message", three.id, answer(text("3")));
    const [before, after] = importLines(header, one, first, two, second, cut, three, third);
    expect(words(before as ImportedCassette)).toEqual(["one", "1", "two", "2"]);
    expect(words(after as ImportedCassette)).toEqual(["sum", "two", "2", "three", "3"]);
    expect(after?.cassette.entries).toHaveLength(1);
  });

  it("keeps what extensions and users put into the prompts, and counts notes and unknown lines", () => {
    const log = [
      header,
      entry("message", null, user([...text("see"), { type: "image", data: "AAAA", mimeType: "image/png" }])),
      entry("custom_message", "e1", { customType: "x", content: "from x" }),
      entry("custom", "e1", { customType: "x", data: {} }),
      entry("from_the_future", "e1", {}),
    ];
    const lines = log.map(({ parentId: _, id: own, ...line }: Line) =>
      line["type"] === "session" ? header : { ...line, own },
    );
    const bash = { type: "message", timestamp, ...message("bashExecution", { command: "ls", output: "a" }) };
    const hidden = { type: "message", timestamp, ...message("bashExecution", { excludeFromContext: true }) };
    const [run] = importLines(...lines, bash, hidden, { type: "message", timestamp, ...answer(text("ok")) });
    expect(words(run as ImportedCassette)).toEqual([
      [
        { type: "text", text: "see" },
        { type: "image", mediaType: "image/png", data: "AAAA" },
      ],
      "from x",
      expect.stringContaining('"command":"ls"'),
      "ok",
    ]);
    expect(repairs(run as ImportedCassette)).toEqual({ "line-unknown": 1, "meta-line-dropped": 2, "role-unknown": 1 });
  });

  it("is refused without a message", () => {
    expect(refusal(() => importLines(header))).toMatchObject({
      code: "import-malformed",
      message: expect.stringContaining("it ended before its first prompt") as string,
    });
  });

  it("goes on after a line of another format", () => {
    const change = entry("model_change", null, { modelId: "m-1" });
    const asked = entry("message", change.id, user("hi"));
    const foreign = { timestamp, type: "turn_context", payload: { type: "turn_context" } };
    const answered = entry("message", asked.id, answer(text("hello")));
    const log = [header, foreign, change, asked, answered].map((line) => JSON.stringify(line)).join("\n");
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const [run, ...more] = [...importLog(log, { source: "s.jsonl", recordedAt: timestamp, onError })];
    expect(more).toEqual([]);
    expect(conversationOf(run?.cassette as never).map(({ content }) => content)).toEqual(["hi", "hello"]);
    expect(importOf(run?.cassette as never).repairs).toEqual({ "meta-line-dropped": 1 });
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("s.jsonl, line 2") as string }),
    ]);
  });
});
