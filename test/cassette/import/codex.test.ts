import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../src/cassette/import/import.js";
import { refusal } from "../../support/refusal.js";
import { conversationOf, importOf, rebuildPrompts } from "./verify.js";

type Line = Record<string, unknown>;

const at = "2026-03-01T10:00:00.000Z";
const line = (type: string, payload: Line): Line => ({ timestamp: at, type, payload });
const item = (payload: Line): Line => line("response_item", payload);
const event = (type: string, payload: Line = {}): Line => line("event_msg", { type, ...payload });
const meta = (fields: Line = {}): Line => line("session_meta", { id: "s-1", timestamp: at, cwd: "/w/shop", ...fields });
const context = (model: string, fields: Line = {}): Line => line("turn_context", { cwd: "/w/shop", model, ...fields });

const asked = (text: string): Line => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const said = (text: string): Line => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const called = (id: string, name = "shell"): Line => ({
  type: "function_call",
  name,
  arguments: '{"cmd":"ls"}',
  call_id: id,
});
const came = (id: string, output: unknown = "ok"): Line => ({ type: "function_call_output", call_id: id, output });

function tokens(total: number, last = total): Line {
  const count = (input: number) => ({ input_tokens: input, cached_input_tokens: 1, output_tokens: 2 });
  return event("token_count", { info: { total_token_usage: count(total), last_token_usage: count(last) } });
}

function importLines(...lines: Line[]): ImportedCassette[] {
  const log = lines.map((each) => JSON.stringify(each)).join("\r\n");
  return [...importLog(log, { source: "rollout-x.jsonl", recordedAt: at })];
}

function importSession(...lines: Line[]): ImportedCassette {
  const [only, ...more] = importLines(...lines);
  if (only === undefined || more.length > 0) throw new Error("not one run");
  return only;
}

const repairs = ({ cassette }: ImportedCassette) => importOf(cassette).repairs;
const words = ({ cassette }: ImportedCassette) =>
  conversationOf(cassette).map(({ content }) =>
    typeof content === "string" ? content : content.map((part) => ("text" in part ? part.text : "")).join(""),
  );
const responses = ({ cassette }: ImportedCassette) => cassette.entries.map(({ response }) => response);

describe("a Codex rollout", () => {
  it("has one turn for the items that the model wrote in a row, with its tokens and its model", () => {
    const run = importSession(
      meta({
        git: { branch: "main", commit_hash: "abc", repository_url: "https://host/shop" },
        originator: "codex_cli_rs",
        cli_version: "0.99.0",
        base_instructions: { text: "Be brief." },
      }),
      context("gpt-a", { effort: "high" }),
      item(asked("go")),
      event("user_message", { message: "go" }),
      item({ type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "opaque" }),
      item(said("I look.")),
      item(called("a")),
      item(called("b")),
      tokens(10),
      item(came("a")),
      item(came("b", '{"output":"no","metadata":{"exit_code":1,"duration_seconds":0.1}}')),
      context("gpt-b"),
      item(said("done")),
      tokens(30, 20),
      tokens(30, 20),
    );
    expect(run).toMatchObject({ model: "gpt-a", task: "s-1", path: "gpt-a/s-1.cassette.json" });
    expect(words(run)).toEqual([
      ...["Be brief.", "go", "I look.", "ok"],
      ...['{"output":"no","metadata":{"exit_code":1,"duration_seconds":0.1}}', "done"],
    ]);
    expect(responses(run)).toMatchObject([
      {
        message: {
          content: "I look.",
          toolCalls: [{ id: "a", name: "shell", arguments: { cmd: "ls" } }, { id: "b" }],
          reasoning: [{ type: "text", text: "hm", signature: "opaque" }],
        },
        stopReason: "toolUse",
        model: "gpt-a",
        usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 1 },
      },
      { message: { content: "done" }, stopReason: "stop", model: "gpt-b", usage: { inputTokens: 20 } },
    ]);
    expect(conversationOf(run.cassette).map((message) => "isError" in message)).toEqual([
      ...[false, false, false, false, true, false],
    ]);
    expect(importOf(run.cassette).session).toEqual({
      cwd: "/w/shop",
      branch: "main",
      commit: "abc",
      repository: "https://host/shop",
      version: "codex_cli_rs 0.99.0",
    });
    expect(run.cassette.extensions?.["contexts"]).toBeUndefined();
    expect(repairs(run)).toEqual({ "model-differs": 1, "setting-dropped": 1 });
  });

  it("takes tokens that are noted before their answer, as older versions do", () => {
    const run = importSession(
      meta(),
      item(asked("go")),
      tokens(10),
      item(called("a")),
      item(came("a")),
      tokens(25, 15),
      item(said("done")),
    );
    expect(responses(run).map(({ usage }) => usage?.inputTokens)).toEqual([10, 15]);
    expect(repairs(run)).toEqual({});
  });

  it("keeps items without a place of their own in the fields of the wire", () => {
    const search = { type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };
    const run = importSession(
      meta(),
      item(asked("go")),
      item(search),
      item({ type: "custom_tool_call", call_id: "p", name: "apply_patch", input: "*** Begin" }),
      item({ type: "custom_tool_call_output", call_id: "p", output: "Process exited with code 3\nno" }),
      item({ type: "local_shell_call", call_id: "l", status: "completed", action: { type: "exec", command: ["ls"] } }),
      item(came("l", { content: "denied", success: false })),
      item(said("done")),
    );
    const [first, second] = responses(run);
    expect(first?.message).toMatchObject({
      toolCalls: [{ id: "p", name: "apply_patch", arguments: {}, malformedArguments: "*** Begin" }],
      responses: { layout: [search, { type: "custom_tool_call" }] },
    });
    expect(second?.message.toolCalls).toEqual([
      { id: "l", name: "local_shell", arguments: { type: "exec", command: ["ls"] } },
    ]);
    const results = conversationOf(run.cassette).filter(({ role }) => role === "tool");
    expect(results).toMatchObject([
      { content: "Process exited with code 3\nno", isError: true },
      { content: "denied", isError: true },
    ]);
    expect(repairs(run)).toEqual({});
  });

  it("begins a thread with the history that a compaction left, whose answers are not turns of it", () => {
    const [before, after] = importLines(
      meta(),
      context("m"),
      item(asked("one")),
      item(said("1")),
      line("compacted", { message: "sum", replacement_history: [asked("one"), said("1"), asked("sum")] }),
      item(asked("two")),
      item(said("2")),
    ) as [ImportedCassette, ImportedCassette];
    expect(words(before)).toEqual(["one", "1"]);
    expect(after).toMatchObject({ task: "s-1", trial: "thread-2", model: "m" });
    expect(words(after)).toEqual(["one", "1", "sum", "two", "2"]);
    expect(after.cassette.entries).toHaveLength(1);
    expect(repairs(before)).toEqual({});
  });

  it("says where a compaction does not tell what the model still knew", () => {
    const [before, after] = importLines(
      meta(),
      item(asked("one")),
      item(said("1")),
      line("compacted", { message: "sum" }),
      item(asked("two")),
      item(said("2")),
    ) as [ImportedCassette, ImportedCassette];
    expect(words(after)).toEqual(["sum", "two", "2"]);
    expect(repairs(before)).toEqual({ "history-missing": 1 });
  });

  it("leaves out what the user undid", () => {
    const [, after] = importLines(
      meta(),
      item(asked("<environment_context></environment_context>")),
      item(asked("one")),
      item(said("1")),
      item(asked("two")),
      item(said("2")),
      event("thread_rolled_back", { num_turns: 1 }),
      item(asked("three")),
      item(said("3")),
    ) as [ImportedCassette, ImportedCassette];
    expect(words(after).slice(1)).toEqual(["one", "1", "three", "3"]);
  });

  it("counts failures, aborts, notes and lines of an unknown type", () => {
    const run = importSession(
      meta(),
      item(asked("go")),
      item(called("a")),
      item(came("a")),
      event("stream_error", { message: "reconnecting" }),
      event("turn_aborted", { reason: "interrupted" }),
      event("turn_diff"),
      item({ type: "ghost_snapshot", ghost_commit: {} }),
      event("from_the_future"),
      line("from_the_future", {}),
      line("world_state", { full: true }),
      line("token_usage_record", { usage: { input_tokens: 1 } }),
    );
    expect(run.cassette.entries).toHaveLength(1);
    expect(importOf(run.cassette).outcome).toEqual({ error: "interrupted" });
    expect(repairs(run)).toEqual({
      "call-unanswered": 1,
      "error-exchange-dropped": 1,
      "line-unknown": 2,
      "meta-line-dropped": 4,
    });
  });

  it("is read from what the program showed where there are no items, and says so", () => {
    const run = importSession(
      meta({ source: { subagent: { thread_spawn: { parent_thread_id: "s-0" } } } }),
      event("user_message", { message: "review" }),
      event("agent_reasoning", { text: "hm" }),
      event("agent_message", { message: "fine" }),
    );
    expect(words(run)).toEqual(["review", "fine"]);
    expect(responses(run)[0]?.message.reasoning).toEqual([{ type: "text", text: "hm" }]);
    expect(importOf(run.cassette).session).toMatchObject({ parent: "s-0" });
    expect(repairs(run)).toEqual({ "items-missing": 1 });
  });

  it("is known without envelopes, as before version 0.4, and as one document, as before 0.2", () => {
    const head = { id: "s-1", timestamp: at, instructions: null, git: { branch: "b" } };
    const items = [asked("go"), called("a"), came("a"), said("done")];
    const bare = importSession(head, { record_type: "state" }, ...items);
    expect(words(bare)).toEqual(["go", "", "ok", "done"]);
    expect(repairs(bare)).toEqual({ "meta-line-dropped": 1 });
    const whole = importSession({ session: { id: "s-1", timestamp: at }, items });
    expect(words(whole)).toEqual(words(bare));
  });

  it("reads the events that codex exec wrote before version 0.4", () => {
    const run = importSession(
      { workdir: "/w/shop", model: "gpt-a", sandbox: "read-only", provider: "openai" },
      { prompt: "go" },
      { id: "0", msg: { type: "task_started" } },
      { id: "0", msg: { type: "exec_command_begin", call_id: "a", command: ["ls"], cwd: "/w/shop" } },
      { id: "0", msg: { type: "exec_command_end", call_id: "a", stdout: "", stderr: "none", exit_code: 1 } },
      { id: "0", msg: { type: "agent_message", message: "done" } },
    );
    expect(run).toMatchObject({ model: "gpt-a" });
    expect(words(run)).toEqual(["go", "", "none", "done"]);
    expect(conversationOf(run.cassette)[2]).toMatchObject({ name: "shell", isError: true });
    expect(repairs(run)).toEqual({ "items-missing": 1 });
  });

  it("holds several sessions, and the lines of a fork after its own", () => {
    const runs = importLines(
      meta({ forked_from_id: "s-0" }),
      meta({ id: "s-0" }),
      item(asked("one")),
      item(said("1")),
      meta({ id: "s-2" }),
      item(asked("two")),
      item(said("2")),
    );
    expect(runs.map(({ task }) => task)).toEqual(["s-1", "s-2"]);
    expect(importOf((runs[0] as ImportedCassette).cassette).session).toMatchObject({ parent: "s-0" });
  });

  it("keeps what cannot be read as text, and counts it", () => {
    const run = importSession(
      meta(),
      item(asked("go")),
      item({ type: "message", role: "robot", content: [] }),
      item({ type: "reasoning", summary: "not a list" }),
      item(said("done")),
    );
    expect(rebuildPrompts(run.cassette)[0]?.[1]).toEqual({
      role: "user",
      content: '{"content":[],"role":"robot","type":"message"}',
    });
    expect(words(run).at(-1)).toContain("done");
    expect(repairs(run)).toEqual({ "part-unsupported": 1, "role-unknown": 1 });
  });

  it("keeps the other lines when the last one is cut", () => {
    const log = [meta(), item(asked("go")), item(said("done"))].map((each) => JSON.stringify(each)).join("\n");
    const errors: string[] = [];
    const runs = [
      ...importLog(`${log}\n{"timestamp":"2026`, {
        source: "r.jsonl",
        recordedAt: at,
        onError: ({ message }) => errors.push(message),
      }),
    ];
    expect(runs).toHaveLength(1);
    expect(errors).toEqual([expect.stringContaining("r.jsonl, line 4: it is not JSON")]);
  });

  it("is refused when it ended before its first prompt", () => {
    expect(refusal(() => importLines(meta(), event("error", { message: "limit" })))).toMatchObject({
      code: "import-malformed",
      message: expect.stringContaining("it ended before its first prompt, and notes 1 error") as string,
    });
  });
});
