import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../src/cassette/import/import.js";
import { refusal } from "../../support/refusal.js";
import { conversationOf, importOf } from "./verify.js";

type Fields = Record<string, unknown>;

const timestamp = "2026-03-01T10:00:00.000Z";
const head = { sessionId: "s-1", projectHash: "h", startTime: timestamp, lastUpdated: timestamp };
const user = (id: string, content: unknown) => ({ id, timestamp, type: "user", content });
const gemini = (id: string, content: unknown, fields: Fields = {}) => ({
  id,
  timestamp,
  type: "gemini",
  content,
  ...fields,
});
const response = (id: string, output: string) => ({ functionResponse: { id, name: "read", response: { output } } });
const call = (id: string, fields: Fields = {}) => ({
  ...{ id, name: "read", args: { id }, status: "success", timestamp, result: [response(id, `of ${id}`)] },
  ...{ displayName: "Read", resultDisplay: "shown", renderOutputAsMarkdown: false },
  ...fields,
});

function importText(text: string): ImportedCassette[] {
  return [...importLog(text, { source: "session.json", recordedAt: timestamp })];
}

function importLines(...lines: object[]): ImportedCassette[] {
  return importText(lines.map((line) => JSON.stringify(line)).join("\n"));
}

function importOnly(...lines: object[]): ImportedCassette {
  const [only, ...more] = importLines(...lines);
  if (only === undefined || more.length > 0) throw new Error("not one run");
  return only;
}

const words = ({ cassette }: ImportedCassette) => conversationOf(cassette).map(({ content }) => content);
const repairs = ({ cassette }: ImportedCassette) => importOf(cassette).repairs;

describe("a Gemini CLI chat", () => {
  it("is one run with calls, results, thoughts and tokens", () => {
    const tokens = { input: 10, output: 2, cached: 4, thoughts: 3, tool: 1, total: 16 };
    const messages = [
      user("1", "go"),
      gemini("2", "I read.", {
        ...{ thoughts: [{ subject: "Plan", description: "hm", timestamp }], tokens, model: "m-1" },
        toolCalls: [
          call("a"),
          call("b", { status: "error", result: [{ functionResponse: { response: { error: "no" } } }] }),
        ],
      }),
      { id: "3", timestamp, type: "info", content: "note" },
      gemini("4", "", { toolCalls: [call("c", { status: "cancelled", result: null })] }),
      { id: "5", timestamp, type: "model", parts: [{ text: "done" }] },
    ];
    const run = importOnly({ ...head, messages, directories: ["/w/shop"] });
    expect(run).toMatchObject({ model: "m-1", task: "s-1" });
    expect(words(run)).toEqual(["go", "I read.", "of a", "no", "", "shown", "done"]);
    expect(run.cassette.entries[0]?.response).toMatchObject({
      message: {
        toolCalls: [{ id: "a", name: "read", arguments: { id: "a" } }, { id: "b" }],
        reasoning: [{ type: "text", text: "Plan\n\nhm" }],
      },
      usage: { inputTokens: 11, outputTokens: 5, cacheReadTokens: 4, reasoningTokens: 3 },
      model: "m-1",
    });
    const results = conversationOf(run.cassette).filter(({ role }) => role === "tool");
    expect(results.map((result) => "isError" in result)).toEqual([false, true, true]);
    expect(importOf(run.cassette).session).toEqual({ cwd: "/w/shop", version: "gemini-cli" });
    expect(repairs(run)).toEqual({ "meta-line-dropped": 1 });
  });

  it("comes as lines, of which later ones correct earlier ones", () => {
    const run = importOnly(
      head,
      user("1", [{ text: "go" }]),
      gemini("2", "half"),
      { $set: { lastUpdated: timestamp } },
      gemini(
        "2",
        [{ text: "I read." }, { functionCall: { name: "read", args: { id: "a" } }, thoughtSignature: "sig" }],
        {
          toolCalls: [call("a")],
        },
      ),
      user("3", [response("a", "of a")]),
      gemini("4", "done"),
    );
    expect(words(run)).toEqual(["go", "I read.", "of a", "done"]);
    expect(run.cassette.entries[0]?.response.message).toMatchObject({
      toolCalls: [{ id: "a" }],
      gemini: { layout: [{ type: "text" }, { type: "call", thoughtSignature: "sig" }] },
    });
    expect(repairs(run)).toEqual({});
  });

  it("forks where the user went back or the history was replaced", () => {
    const runs = importLines(
      head,
      user("1", "one"),
      gemini("2", "1"),
      user("3", "two"),
      gemini("4", "2"),
      { $rewindTo: "3" },
      user("5", "three"),
      gemini("6", "3"),
      { $set: { messages: [user("7", "sum"), gemini("6", "3")] } },
      user("8", "four"),
      gemini("9", "4"),
    );
    expect(runs.map(words)).toEqual([
      ["one", "1", "two", "2"],
      ["one", "1", "three", "3"],
      ["sum", "3", "four", "4"],
    ]);
    expect(runs.map(({ trial }) => trial)).toEqual([undefined, "thread-2", "thread-3"]);
    expect(repairs(runs[0] as ImportedCassette)).toEqual({ "thread-forked": 2 });
  });

  it("counts errors, unknown lines, and sessions one after the other", () => {
    const runs = importLines(
      head,
      user("1", "one"),
      { id: "e", timestamp, type: "error", content: "no" },
      { id: "x", timestamp, type: "from_the_future", content: "" },
      gemini("2", "1"),
      { ...head, sessionId: "s-2" },
      user("3", "two"),
      gemini("4", "2"),
    );
    expect(runs.map(({ task }) => task)).toEqual(["s-1", "s-2"]);
    expect(repairs(runs[0] as ImportedCassette)).toEqual({ "error-exchange-dropped": 1, "line-unknown": 1 });
  });

  it("may be a checkpoint, a list of contents", () => {
    const contents = [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: [{ functionCall: { id: "a", name: "read", args: {} } }] },
      { role: "user", parts: [response("a", "of a")] },
      { role: "model", parts: [{ text: "done" }] },
      { role: "robot", parts: [] },
    ];
    const [run] = importText(JSON.stringify(contents, undefined, 2));
    expect(words(run as ImportedCassette).slice(0, 4)).toEqual(["go", "", "of a", "done"]);
    expect(repairs(run as ImportedCassette)).toEqual({ "role-unknown": 1 });
    const [same] = importText(JSON.stringify({ history: contents }));
    expect(words(same as ImportedCassette)).toEqual(words(run as ImportedCassette));
  });

  it("may be recorded answers, whose prompts are missing", () => {
    const chunk = (text: string, more: Fields = {}) => ({
      candidates: [{ content: { role: "model", parts: [{ text }] }, ...more }],
    });
    const run = importOnly(
      { method: "generateContentStream", response: [chunk("do"), chunk("ne", { finishReason: "MAX_TOKENS" })] },
      { method: "countTokens", response: { totalTokens: 1 } },
      { method: "generateContent", response: { error: { code: 500, message: "no" } } },
    );
    expect(run.cassette.entries.map(({ response: own }) => [own.message.content, own.stopReason])).toEqual([
      ["done", "length"],
    ]);
    expect(repairs(run)).toEqual({ "call-unanswered": 1, "history-missing": 1, "meta-line-dropped": 1 });
  });

  it("is refused without answers, and says where they are", () => {
    const typed = [{ sessionId: "s-1", messageId: 0, type: "user", message: "go", timestamp }];
    expect(refusal(() => importText(JSON.stringify(typed)))).toMatchObject({
      code: "import-malformed",
      message: expect.stringContaining("import the files in `chats` next to it") as string,
    });
    expect(refusal(() => importLines(head))).toMatchObject({ code: "import-malformed" });
  });
});
