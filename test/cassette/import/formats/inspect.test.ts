import { describe, expect, it } from "vitest";
import { importLog } from "../../../../src/cassette/import/import.js";
import { conversationOf, importOf, importOne, rebuildPrompts, repairsOf } from "../verify.js";

const hash = "0123456789abcdef0123456789abcdef";
const user = { id: "m1", role: "user", content: `attachment://${hash}`, source: "input" };
const call = { id: "c1", function: "bash", arguments: { cmd: "ls" }, type: "function" };
const asks = { role: "assistant", content: "", tool_calls: [call], source: "generate" };
const result = { role: "tool", content: "a.txt", tool_call_id: "c1", function: "bash" };
const says = {
  role: "assistant",
  content: [
    { type: "reasoning", reasoning: "hm" },
    { type: "text", text: "a.txt" },
  ],
};
const bash = { name: "bash", description: "runs", parameters: { type: "object", properties: {} } };
const usage = { input_tokens: 7, output_tokens: 2, total_tokens: 14, input_tokens_cache_read: 5, total_cost: 0.25 };

const model = (input: object[], message: object, more: object = {}) => ({
  event: "model",
  input,
  tools: [bash],
  tool_choice: "auto",
  config: { temperature: 0.5, max_connections: 4 },
  output: { model: "m-2025", choices: [{ message, stop_reason: "stop" }], usage },
  ...more,
});

const sample = (more: object = {}) => ({
  id: "s1",
  epoch: 2,
  target: "a.txt",
  scores: { match: { value: "C" } },
  messages: [user, asks, result, says],
  events: [model([user], asks), model([user, asks, result], says)],
  attachments: { [hash]: "What is here?" },
  ...more,
});

const log = (...samples: object[]) => ({
  version: 2,
  status: "success",
  eval: { task: "suite/files", model: "openai/m", created: "x" },
  samples,
});

describe("an Inspect log", () => {
  it("gives one cassette for each epoch of each sample, its calls with their prompts as they were sent", () => {
    const { path, cassette, repairs } = importOne(log(sample()));
    expect(path).toBe("openai_m/suite/files/s1.2.cassette.json");
    expect(repairs).toEqual([]);
    expect(rebuildPrompts(cassette)[0]).toEqual([{ role: "user", content: "What is here?" }]);
    expect(cassette.entries.map(({ response }) => response)).toMatchObject([
      {
        message: { toolCalls: [{ id: "c1", name: "bash", arguments: { cmd: "ls" } }] },
        stopReason: "toolUse",
        usage: { inputTokens: 12, outputTokens: 2, cacheReadTokens: 5 },
        costUsd: 0.25,
        model: "m-2025",
      },
      { message: { content: "a.txt", reasoning: [{ type: "text", text: "hm" }] }, finalAnswer: "a.txt" },
    ]);
    expect(cassette.extensions?.contexts).toMatchObject([
      { fromTurn: 0, tools: [{ name: "bash" }], settings: { temperature: 0.5 } },
    ]);
    expect(importOf(cassette)).toMatchObject({
      format: "inspect",
      trial: "2",
      outcome: { scores: { match: { value: "C" } }, target: "a.txt" },
    });
  });

  it("keeps what the sample has after the last call", () => {
    const after = { role: "user", content: "Go on." };
    const { cassette } = importOne(log(sample({ messages: [user, asks, result, says, after] })));
    expect(importOf(cassette).trailing).toEqual([after]);
  });

  it("is read from its messages where the transcript has no model event", () => {
    const { cassette } = importOne(log(sample({ events: [] })));
    expect(conversationOf(cassette)).toHaveLength(4);
    expect(cassette.entries).toHaveLength(2);
  });

  it("gives what a scorer asked a model a cassette of its own, by spans and by steps", () => {
    const judge = model([{ role: "user", content: "Good?" }], { role: "assistant", content: "Yes" });
    const spans = [
      { event: "span_begin", id: "a", type: "scorers" },
      { event: "span_begin", id: "b", parent_id: "a", type: "other" },
      { ...judge, span_id: "b" },
    ];
    const steps = [
      { event: "step", action: "begin", type: "scorer" },
      judge,
      { event: "step", action: "end", type: "scorer" },
      model([user], says),
    ];
    const imported = [spans, steps].map((events) => [
      ...importLog(JSON.stringify(log(sample({ events: [model([user], asks), ...events] }))), {
        source: "l.json",
        recordedAt: "2026-11-20T12:00:00.000Z",
      }),
    ]);
    for (const runs of imported) {
      expect(runs.map(({ path }) => path)).toEqual([
        "openai_m/suite/files/s1.2.cassette.json",
        "openai_m/suite/files/s1/scorer.2.cassette.json",
      ]);
      expect(runs[1]?.cassette.entries).toHaveLength(1);
    }
    expect(imported.map(([run]) => run?.cassette.entries.length)).toEqual([1, 2]);
  });

  it("counts calls that failed or have no answer, further answers, settings and fields without a place", () => {
    const choice = { message: says, stop_reason: "stop" };
    const parseError = { ...asks, tool_calls: [{ ...call, parse_error: "torn" }] };
    const events = [
      model([user], says, { error: "overloaded" }),
      model([user], says, { output: { model: "m", choices: [] } }),
      model([user], says, { output: { model: "m", choices: [choice, choice, choice] } }),
      model([user], says, { config: { top_k: 4 } }),
      model([user], parseError, { config: { top_k: 5 } }),
      model([{ role: "user", content: "tc://ffffffffffffffffffffffffffffffff" }], says),
    ];
    expect(repairsOf(log(sample({ events, messages: [] })))).toEqual({
      "answer-alternative-dropped": 2,
      "attachment-missing": 1,
      "call-unanswered": 2,
      "field-dropped": 1,
      "setting-dropped": 1,
    });
  });

  it.each([
    ["max_tokens", "length"],
    ["model_length", "length"],
    ["content_filter", "contentFilter"],
    ["unknown", "stop"],
  ])("says why an answer ended: %s", (reason, stopReason) => {
    const output = { model: "m", choices: [{ message: says, stop_reason: reason }] };
    const { cassette } = importOne(log(sample({ events: [model([user], says, { output })] })));
    expect(cassette.entries[0]?.response.stopReason).toBe(stopReason);
  });

  it("keeps a tool choice where there are tools", () => {
    const choose = (choice: unknown, tools: object[]) =>
      importOne(log(sample({ events: [model([user], says, { tool_choice: choice, tools, config: {} })] }))).cassette
        .extensions?.contexts?.[0]?.settings;
    expect(choose("any", [bash])).toEqual({ toolChoice: "required" });
    expect(choose({ name: "bash" }, [bash])).toEqual({ toolChoice: { name: "bash" } });
    expect(choose("none", [])).toBeUndefined();
  });

  it("puts a tool's failure after its words, marked as one", () => {
    const failed = (content: string) => ({ ...result, content, error: { type: "timeout", message: "late" } });
    const messages = [user, asks, failed("so far"), failed("")];
    const { cassette } = importOne(log(sample({ events: [], messages })));
    expect(conversationOf(cassette).slice(2)).toMatchObject([
      { content: "so far\nlate", isError: true },
      { content: "late", isError: true },
    ]);
    expect(importOf(cassette).repairs).toMatchObject({ "tool-error-joined": 1, "field-dropped": 2 });
  });

  it.each([
    [log(), "has no samples"],
    [log(sample({ events: [model([], says, { input_refs: [[0, 1]] })] })), "kept in a pool"],
    [{ ...log(), samples: ["text"] }, "must be an object"],
  ])("is refused where it cannot be read (%#)", (record, why) => {
    expect(() => importOne(record)).toThrow(why);
  });

  it("costs one sample alone what is wrong with that sample", () => {
    const errors: string[] = [];
    const text = JSON.stringify({ ...log(), samples: [7, sample()] });
    const onError = ({ message }: Error) => void errors.push(message);
    const runs = [...importLog(text, { source: "l.json", recordedAt: "2026-11-20T12:00:00.000Z", onError })];
    expect([runs.length, errors.length]).toEqual([1, 1]);
  });
});
