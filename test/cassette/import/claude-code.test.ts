import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../src/cassette/import/import.js";
import { refusal } from "../../support/refusal.js";
import { conversationOf, importOf, rebuildPrompts } from "./verify.js";

type Line = Record<string, unknown>;

const base = { sessionId: "s-1", isSidechain: false };

function user(uuid: string, parentUuid: string | null, content: unknown, fields: Line = {}): Line {
  return { type: "user", uuid, parentUuid, ...base, message: { role: "user", content }, ...fields };
}

function answer(
  uuid: string,
  parentUuid: string | null,
  content: unknown,
  fields: Line = {},
  message: Line = {},
): Line {
  const said = { id: `msg-${uuid}`, type: "message", role: "assistant", model: "claude-x", content, ...message };
  return { type: "assistant", uuid, parentUuid, ...base, message: said, ...fields };
}

const text = (words: string) => [{ type: "text", text: words }];
const call = (id: string) => ({ type: "tool_use", id, name: "read", input: { id } });
const result = (id: string) => [{ type: "tool_result", tool_use_id: id, content: `of ${id}` }];

function importLines(...lines: Line[]): ImportedCassette[] {
  const log = lines.map((line) => JSON.stringify(line)).join("\n");
  return [...importLog(log, { source: "t.jsonl", recordedAt: "2026-11-20T12:00:00.000Z" })];
}

function importThread(...lines: Line[]): ImportedCassette {
  const [only, ...more] = importLines(...lines);
  if (only === undefined || more.length > 0) throw new Error("not one thread");
  return only;
}

const repairs = ({ cassette }: ImportedCassette) => importOf(cassette).repairs;
const words = ({ cassette }: ImportedCassette) => conversationOf(cassette).map(({ content }) => content);

describe("a Claude Code transcript", () => {
  it("is one run over all its lines, named after the session and the model", () => {
    const run = importThread(user("1", null, "hello"), answer("2", "1", text("hi")), user("3", "2", "bye"));
    expect(run).toMatchObject({ model: "claude-x", task: "s-1", path: "claude-x/s-1.cassette.json" });
    expect(words(run)).toEqual(["hello", "hi", "bye"]);
    expect(run.cassette.entries).toHaveLength(1);
    expect(repairs(run)).toEqual({});
  });

  it("keeps the session's folder, branch and version, by which its task can be named", () => {
    const place = { cwd: "/home/ann/birds", gitBranch: "main", version: "2.1.197" };
    const moved = { cwd: "/tmp/elsewhere", gitBranch: "other", version: "2.2.0" };
    const lines = [
      user("1", null, "hello", place),
      answer("2", "1", text("hi"), place),
      user("3", "2", "go on", moved),
    ];
    const log = [...lines, answer("4", "3", text("yes"), moved)].map((line) => JSON.stringify(line)).join("\n");
    const options = { source: "t.jsonl", recordedAt: "2026-11-20T12:00:00.000Z", task: "{cwd}-{branch}" };
    const [run] = [...importLog(log, options)];
    expect(run?.task).toBe("birds-main");
    expect(importOf(run?.cassette as never)).toMatchObject({
      session: { cwd: "/home/ann/birds", branch: "main", version: "claude-code 2.1.197" },
    });
  });

  it.each([
    ["max_tokens", "length"],
    ["refusal", "contentFilter"],
    ["end_turn", "stop"],
    ["constructor", "stop"],
  ])("ends an answer with %s by %s", (stop_reason, expected) => {
    const run = importThread(user("1", null, "go"), answer("2", "1", text("so"), {}, { stop_reason }));
    expect(run.cassette.entries[0]?.response.stopReason).toBe(expected);
  });

  it("joins the lines of one answer, and takes the tokens of the last", () => {
    const usage = (output: number) => ({ usage: { input_tokens: 5, output_tokens: output } });
    const run = importThread(
      user("1", null, "go"),
      answer("2", "1", [{ type: "thinking", thinking: "hm", signature: "s" }], {}, { id: "m", ...usage(1) }),
      answer("3", "2", text("I read."), {}, { id: "m", ...usage(2) }),
      answer("4", "3", [call("a")], {}, { id: "m", ...usage(9) }),
      user("5", "4", result("a")),
      answer("6", "5", text("done")),
    );
    expect(run.cassette.entries).toHaveLength(2);
    expect(run.cassette.entries[0]?.response).toMatchObject({
      message: { content: "I read.", toolCalls: [{ id: "a", name: "read", arguments: { id: "a" } }] },
      stopReason: "toolUse",
      usage: { inputTokens: 5, outputTokens: 9 },
    });
    expect(repairs(run)).toEqual({});
  });

  it("puts results of calls made at once one after the other, whichever line they name", () => {
    const run = importThread(
      user("1", null, "go"),
      answer("2", "1", [call("a")], {}, { id: "m" }),
      answer("3", "2", [call("b")], {}, { id: "m" }),
      user("4", "2", result("a")),
      user("5", "3", result("b")),
      answer("6", "4", text("done")),
    );
    expect(words(run)).toEqual(["go", "", "of a", "of b", "done"]);
    expect(repairs(run)).toEqual({});
  });

  it("walks through what the program noted in between, and counts it", () => {
    const run = importThread(
      { type: "summary", summary: "a talk", leafUuid: "4" },
      { type: "file-history-snapshot", messageId: "1", snapshot: {} },
      { type: "mode", sessionId: "s-1", mode: "plan" },
      user("1", null, "hello"),
      { type: "system", uuid: "2", parentUuid: "1", ...base, content: "hook ran" },
      answer("3", "2", text("hi")),
    );
    expect(words(run)).toEqual(["hello", "hi"]);
    expect(repairs(run)).toEqual({ "meta-line-dropped": 4 });
  });

  it("forks where the user went back, and keeps the beginning in both", () => {
    const [first, second, ...more] = importLines(
      user("1", null, "hello"),
      answer("2", "1", text("hi")),
      user("3", "2", "left"),
      answer("4", "3", text("went left")),
      user("5", "2", "right"),
      answer("6", "5", text("went right")),
    );
    expect(more).toEqual([]);
    expect([first, second].map((run) => words(run as ImportedCassette))).toEqual([
      ["hello", "hi", "left", "went left"],
      ["hello", "hi", "right", "went right"],
    ]);
    expect(second?.trial).toBe("thread-2");
    expect(repairs(first as ImportedCassette)).toEqual({ "thread-forked": 1 });
  });

  it("counts what was asked and never answered on a way that was left", () => {
    const run = importThread(
      user("1", null, "hello"),
      answer("2", "1", text("hi")),
      user("3", "2", "never mind"),
      user("4", "2", "go on"),
      answer("5", "4", text("on")),
    );
    expect(words(run)).toEqual(["hello", "hi", "go on", "on"]);
    expect(repairs(run)).toEqual({ "branch-unanswered": 1 });
  });

  it("begins again after /clear", () => {
    const [before, after] = importLines(
      user("1", null, "first"),
      answer("2", "1", text("one")),
      user("3", "2", "<command-name>/clear</command-name>\n<command-args></command-args>"),
      user("4", "3", "second"),
      answer("5", "4", text("two")),
    );
    expect(words(before as ImportedCassette)).toEqual(["first", "one"]);
    expect(words(after as ImportedCassette)).toEqual(["second", "two"]);
    expect(repairs(before as ImportedCassette)).toEqual({ "meta-line-dropped": 1 });
  });

  it("gives side agents cassettes of their own", () => {
    const side = { isSidechain: true, agentId: "a7" };
    const runs = importLines(
      user("1", null, "go"),
      answer("2", "1", [call("t")]),
      user("s1", "2", "look around", side),
      answer("s2", "s1", text("looked"), side),
      user("3", "2", result("t")),
      answer("4", "3", text("done")),
      user("n1", null, "nameless", { isSidechain: true }),
      answer("n2", "n1", text("yes"), { isSidechain: true }),
    );
    expect(runs.map((run) => [run.trial, words(run)])).toEqual([
      ["agent-a7", ["look around", "looked"]],
      [undefined, ["go", "", "of t", "done"]],
      ["agent-1", ["nameless", "yes"]],
    ]);
  });

  it("takes the order of the lines where no line names another, and counts it", () => {
    const run = importThread(
      user("1", null, "a"),
      answer("2", null, text("b")),
      user("3", null, "c"),
      answer("4", null, text("d")),
    );
    expect(words(run)).toEqual(["a", "b", "c", "d"]);
    expect(repairs(run)).toEqual({ "parent-missing": 3 });
  });

  it("hangs an answer to a line that is not there below the line before", () => {
    const run = importThread(user("1", null, "a"), answer("2", "lost", text("b")), user("3", "2", "c"));
    expect(words(run)).toEqual(["a", "b", "c"]);
    expect(repairs(run)).toEqual({ "parent-missing": 1 });
  });

  it("keeps no error as an answer, and what the program said for the model as no turn", () => {
    const run = importThread(
      user("1", null, "a"),
      answer("2", "1", text("API Error: 529"), { isApiErrorMessage: true }, { model: "<synthetic>" }),
      user("3", "2", "again"),
      answer("4", "3", text("No response requested."), {}, { model: "<synthetic>" }),
      user("5", "4", "and now"),
      answer("6", "5", text("yes")),
    );
    expect(run.model).toBe("claude-x");
    expect(run.cassette.entries).toHaveLength(1);
    expect(words(run)).toEqual(["a", "again", "No response requested.", "and now", "yes"]);
    expect(repairs(run)).toEqual({ "answer-not-model": 1, "error-exchange-dropped": 1 });
  });

  it("counts a line that comes twice, and an answer of another model", () => {
    const again = answer("2", "1", text("b"));
    const run = importThread(
      user("1", null, "a"),
      again,
      again,
      user("3", "2", "c"),
      answer("4", "3", text("d"), {}, { model: "claude-y" }),
    );
    expect(words(run)).toEqual(["a", "b", "c", "d"]);
    expect(repairs(run)).toEqual({ "line-repeated": 1, "model-differs": 1 });
  });

  it("becomes a cassette without turns where nothing was answered", () => {
    const run = importThread(user("1", null, "a"), user("2", "1", "b"));
    expect(rebuildPrompts(run.cassette)).toEqual([]);
    expect(words(run)).toEqual(["a", "b"]);
    expect(repairs(run)).toEqual({ "no-assistant-message": 1 });
  });

  it("is refused where nothing is said", () => {
    expect(refusal(() => importLines({ type: "summary", summary: "x", leafUuid: "1" }))).toMatchObject({
      code: "import-malformed",
    });
  });

  it("survives parents in a circle, and names of prototypes", () => {
    const run = importThread(user("__proto__", "constructor", "a"), answer("constructor", "__proto__", text("b")));
    expect(words(run)).toEqual(["a", "b"]);
  });
});
