import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../../src/cassette/import/import.js";
import { importOf, rebuildPrompts } from "../verify.js";

type Attributes = Record<string, unknown>;

function importText(text: string, format?: "otlp" | "otel-spans"): ImportedCassette[] {
  const options = { source: "trace.json", recordedAt: "2026-11-20T12:00:00.000Z" };
  return [...importLog(text, { ...options, ...(format === undefined ? {} : { format }) })];
}

let count = 0;

function ended(attributes: Attributes, more: object = {}): Record<string, unknown> {
  const spanId = `s${++count}`;
  return { name: "chat", spanContext: { traceId: "t1", spanId }, startTime: [count, 0], attributes, ...more };
}

function importSpans(...spans: object[]): ImportedCassette[] {
  return importText(JSON.stringify(spans));
}

function onlyRun(...spans: object[]): ImportedCassette {
  const [run, ...more] = importSpans(...spans);
  if (run === undefined || more.length > 0) throw new Error("not one run");
  return run;
}

/** What a turn was asked and what it answered. */
function turnsOf({ cassette }: ImportedCassette) {
  const prompts = rebuildPrompts(cassette);
  return cassette.entries.map(({ response }, turn) => ({ prompt: prompts[turn], response }));
}

const call = { id: "c1", name: "weather", arguments: { city: "Paris" } };
const asked = { role: "assistant", toolCalls: [call] };
const told = { role: "tool", toolCallId: "c1", name: "weather", content: "21" };

describe("a call in the words of the GenAI conventions", () => {
  const request = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };

  it("has its messages in attributes, with parts", () => {
    const input = [
      { role: "user", parts: [{ type: "text", content: "Warm?" }] },
      { role: "assistant", parts: [{ type: "tool_call", ...call }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "21" }] },
    ];
    const output = [{ role: "assistant", parts: [{ type: "text", content: "Yes." }], finish_reason: "length" }];
    const run = onlyRun(
      ended({
        ...request,
        "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: "Be brief." }]),
        "gen_ai.input.messages": JSON.stringify(input),
        "gen_ai.output.messages": JSON.stringify(output),
        "gen_ai.response.model": "m-1",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.top_k": 3,
        "gen_ai.usage.input_tokens": 5,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.usage.cache_read.input_tokens": 1,
        "gen_ai.tool.definitions": JSON.stringify([{ type: "function", name: "weather", parameters: {} }]),
      }),
    );
    expect(turnsOf(run)).toMatchObject([
      {
        prompt: [{ role: "system", content: "Be brief." }, { content: "Warm?" }, asked, told],
        response: {
          finalAnswer: "Yes.",
          stopReason: "length",
          model: "m-1",
          usage: { inputTokens: 5, outputTokens: 2, cacheReadTokens: 1 },
        },
      },
    ]);
    expect(run.cassette.extensions?.contexts).toMatchObject([
      { tools: [{ name: "weather" }], settings: { temperature: 0.2 } },
    ]);
    expect(run.repairs).toEqual([{ kind: "setting-dropped", count: 1 }]);
  });

  it("has them in the event of its details", () => {
    const attributes = {
      "gen_ai.input.messages": [{ role: "user", parts: [{ type: "text", content: "a" }] }],
      "gen_ai.output.messages": [{ role: "assistant", parts: [{ type: "text", content: "b" }] }],
    };
    const events = [{ name: "gen_ai.client.inference.operation.details", attributes }];
    expect(turnsOf(onlyRun(ended(request, { events })))).toMatchObject([{ response: { finalAnswer: "b" } }]);
  });

  it.each(["span events", "an attribute"])("has an event for each, as %s", (place) => {
    const tool = { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } };
    const events = [
      { name: "gen_ai.system.message", attributes: { content: "Be brief." } },
      { name: "gen_ai.user.message", attributes: { content: "Warm?" } },
      { name: "gen_ai.assistant.message", attributes: { tool_calls: JSON.stringify([tool]) } },
      { name: "gen_ai.tool.message", attributes: { id: "c1", content: "21" } },
      { name: "gen_ai.choice", attributes: { finish_reason: "stop", message: '{"content":"Yes."}' } },
    ];
    const flat = events.map(({ name, attributes }) => ({ "event.name": name, ...attributes }));
    const span =
      place === "span events" ? ended(request, { events }) : ended({ ...request, events: JSON.stringify(flat) });
    expect(turnsOf(onlyRun(span))).toMatchObject([
      { prompt: [{ role: "system" }, { content: "Warm?" }, asked, told], response: { finalAnswer: "Yes." } },
    ]);
  });

  it("has them in the two events of long ago", () => {
    const events = [
      { name: "gen_ai.content.prompt", attributes: { "gen_ai.prompt": '[{"role":"user","content":"a"}]' } },
      {
        name: "gen_ai.content.completion",
        attributes: { "gen_ai.completion": '[{"role":"assistant","content":"b"}]' },
      },
    ];
    expect(turnsOf(onlyRun(ended(request, { events })))).toMatchObject([{ response: { finalAnswer: "b" } }]);
  });

  it("has them as OpenLLMetry numbers them", () => {
    const run = onlyRun(
      ended({
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": '[{"type":"text","text":"Warm?"}]',
        "gen_ai.prompt.1.role": "assistant",
        "gen_ai.prompt.1.tool_calls.0.id": "c1",
        "gen_ai.prompt.1.tool_calls.0.name": "weather",
        "gen_ai.prompt.1.tool_calls.0.arguments": '{"city":"Paris"}',
        "gen_ai.prompt.2.role": "tool",
        "gen_ai.prompt.2.tool_call_id": "c1",
        "gen_ai.prompt.2.content": "21",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "Yes.",
        "gen_ai.completion.1.content": "Sure.",
        "gen_ai.usage.prompt_tokens": 5,
        "gen_ai.usage.completion_tokens": 2,
        "gen_ai.response.finish_reasons": ["content_filter"],
        "llm.request.functions.0.name": "weather",
        "llm.request.functions.0.parameters": '{"type":"object"}',
      }),
    );
    expect(turnsOf(run)).toMatchObject([
      { prompt: [{ content: "Warm?" }, asked, told], response: { finalAnswer: "Yes.", stopReason: "contentFilter" } },
    ]);
    expect(run.repairs).toEqual([{ kind: "answer-alternative-dropped", count: 1 }]);
    expect(run.cassette.extensions?.contexts).toMatchObject([
      { tools: [{ name: "weather", schema: { type: "object" } }] },
    ]);
  });
});

describe("a call in the words of OpenInference", () => {
  const kind = { "openinference.span.kind": "LLM", "llm.model_name": "m" };

  it("has numbered messages, with parts, calls and tools", () => {
    const run = onlyRun(
      ended({
        ...kind,
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "Warm?",
        "llm.input_messages.0.message.contents.1.message_content.type": "image",
        "llm.input_messages.0.message.contents.1.message_content.image.image.url": "https://x.test/a.png",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"city":"Paris"}',
        "llm.tools.0.tool.json_schema": '{"type":"function","function":{"name":"weather","parameters":{}}}',
        "llm.invocation_parameters": '{"max_tokens":9,"model":"m","stop":["x"]}',
        "llm.token_count.prompt": 3,
        "llm.token_count.completion": 4,
        "llm.token_count.completion_details.reasoning": 1,
        "output.value": '{"choices":[{"finish_reason":"length"}]}',
      }),
    );
    expect(turnsOf(run)).toMatchObject([
      {
        prompt: [{ content: [{ text: "Warm?" }, { type: "image", url: "https://x.test/a.png" }] }],
        response: { message: asked, stopReason: "length", usage: { inputTokens: 3, reasoningTokens: 1 } },
      },
    ]);
    expect(run.cassette.extensions?.contexts).toMatchObject([{ settings: { maxTokens: 9, stop: ["x"] } }]);
  });

  it("has only its input and output as values", () => {
    const [turn] = turnsOf(onlyRun(ended({ ...kind, "input.value": "a", "output.value": "b" })));
    expect(turn).toMatchObject({ prompt: [{ role: "user", content: "a" }], response: { finalAnswer: "b" } });
  });
});

describe("a call in the words of the AI SDK", () => {
  const operation = { "ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m" };

  it("has its messages and tools as JSON, and its answer in attributes", () => {
    const prompt = [
      {
        role: "user",
        content: [
          { type: "text", text: "Warm?" },
          { type: "file", mediaType: "image/png", data: "AA==" },
        ],
      },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: { city: "Paris" } }],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "weather", output: { type: "text", value: "21" } },
        ],
      },
    ];
    const run = onlyRun(
      ended({
        ...operation,
        "ai.prompt.messages": JSON.stringify(prompt),
        "ai.prompt.tools": ['{"type":"function","name":"weather","inputSchema":{"type":"object"}}'],
        "ai.prompt.toolChoice": '{"type":"required"}',
        "ai.response.text": "One more.",
        "ai.response.reasoning": "hm",
        "ai.response.toolCalls": '[{"toolCallId":"c2","toolName":"weather","input":"{\\"city\\":\\"Rome\\"}"}]',
        "ai.response.finishReason": "tool-calls",
        "ai.usage.inputTokens": 3,
        "ai.usage.outputTokens": 4,
        "ai.usage.cachedInputTokens": 1,
      }),
    );
    expect(run.repairs).toEqual([]);
    expect(turnsOf(run)).toMatchObject([
      {
        prompt: [{ content: [{ text: "Warm?" }, { mediaType: "image/png", data: "AA==" }] }, asked, told],
        response: {
          message: {
            content: "One more.",
            reasoning: [{ type: "text", text: "hm" }],
            toolCalls: [{ id: "c2", arguments: { city: "Rome" } }],
          },
          usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 1 },
        },
      },
    ]);
    expect(run.cassette.extensions?.contexts).toMatchObject([
      { tools: [{ name: "weather", schema: { type: "object" } }], settings: { toolChoice: "required" } },
    ]);
  });
});

describe("spans", () => {
  const chat = (text: string, more: Attributes = {}) => ({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.input.messages": [{ role: "user", parts: [{ type: "text", content: text }] }],
    "gen_ai.output.messages": [{ role: "assistant", parts: [{ type: "text", content: text }] }],
    ...more,
  });
  const at = (traceId: string, spanId: string, parentSpanId?: string) => ({
    spanContext: { traceId, spanId },
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
  });

  it("are turns in the order in which they began, a run for each trace", () => {
    const runs = importSpans(
      ended(chat("2"), { ...at("t1", "b", "root"), startTime: [2, 0] }),
      ended({}, { ...at("t1", "root"), name: "job" }),
      ended(chat("1"), { ...at("t1", "a", "root"), startTime: [1, 999] }),
      ended(chat("3"), at("t2", "c")),
    );
    expect(runs.map(({ path }) => path)).toEqual(["m/job.t1.cassette.json", "m/chat.t2.cassette.json"]);
    expect(runs[0]?.cassette.entries.map(({ response }) => response.finalAnswer)).toEqual(["1", "2"]);
  });

  it("are a run for each agent where several of one trace made calls", () => {
    const runs = importSpans(
      ended({}, { ...at("t1", "root"), name: "crew" }),
      ended({ "openinference.span.kind": "AGENT" }, { ...at("t1", "x", "root"), name: "reader" }),
      ended(chat("1"), at("t1", "a", "x")),
      ended(chat("2", { "gen_ai.agent.name": "writer" }), at("t1", "b", "root")),
    );
    expect(runs.map(({ task }) => task)).toEqual(["crew/reader", "crew/writer"]);
  });

  it("that lie around a call are the same call, and loops of parents end", () => {
    const runs = importSpans(
      ended(chat("outer"), at("t1", "a", "b")),
      ended(chat("inner"), at("t1", "b", "a")),
      ended(chat("deep"), at("t1", "c", "a")),
    );
    expect(runs.flatMap(({ cassette }) => cassette.entries.map(({ response }) => response.finalAnswer))).toEqual([
      "deep",
    ]);
  });

  it("that stand in an export twice are one, and counted; another call under a known id is kept", () => {
    const first = ended(chat("1"), at("t1", "a"));
    const run = onlyRun(first, { ...first }, ended(chat("2"), at("t1", "a")), first);
    expect(run.cassette.entries.map(({ response }) => response.finalAnswer)).toEqual(["1", "2"]);
    expect(importOf(run.cassette).repairs).toEqual({ "line-repeated": 2 });
  });

  it("whose parents go round in a circle are not lost", () => {
    const runs = importSpans(
      ended(chat("own"), at("t1", "a", "a")),
      ended(chat("one"), at("t2", "a", "b")),
      ended(chat("other"), at("t2", "b", "a")),
    );
    const said = runs.flatMap(({ cassette }) => cassette.entries.map(({ response }) => response.finalAnswer));
    expect(said[0]).toBe("own");
    expect(said).toHaveLength(2);
  });

  it("have the root above a chain of parents of any length", () => {
    const chain = Array.from({ length: 1_500 }, (_, n) =>
      ended({}, { ...at("t1", `c${n}`, `c${n - 1}`), name: `link ${n}` }),
    );
    expect(onlyRun(...chain, ended(chat("x"), at("t1", "k", "c1499"))).task).toBe("link 0");
  });

  it("that failed or have no answer are not turns, and are counted", () => {
    const run = onlyRun(
      ended(chat("1")),
      ended(chat("2"), { status: { code: 2 } }),
      ended({ ...chat("3"), "gen_ai.output.messages": [] }),
    );
    expect(run.cassette.entries).toHaveLength(1);
    expect(importOf(run.cassette).repairs).toEqual({ "call-unanswered": 2 });
  });

  it("without a call of a model are refused", () => {
    expect(() => importSpans(ended({ a: 1 }))).toThrow("no call of a model");
  });

  it("may come as OTLP/JSON, over several requests and lines, and give the same", () => {
    const value = (item: unknown): object => {
      if (typeof item === "string") return { stringValue: item };
      if (typeof item === "number") return Number.isInteger(item) ? { intValue: String(item) } : { doubleValue: item };
      if (typeof item === "boolean") return { boolValue: item };
      if (Array.isArray(item)) return { arrayValue: { values: item.map(value) } };
      const pairs = Object.entries(item as object).map(([key, own]) => ({ key, value: value(own) }));
      return { kvlistValue: { values: pairs } };
    };
    const request = (spanId: string, attributes: Attributes, parentSpanId?: string, code: unknown = 1) => ({
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                {
                  traceId: "t1",
                  spanId,
                  parentSpanId,
                  name: spanId,
                  startTimeUnixNano: `${++count}`,
                  attributes: Object.entries(attributes).map(([key, own]) => ({ key, value: value(own) })),
                  status: { code },
                },
              ],
            },
          ],
        },
      ],
    });
    const requests = [
      request("root", { flag: true, ratio: 0.5 }),
      request("a", chat("1", { "gen_ai.usage.input_tokens": 1, "gen_ai.usage.output_tokens": 2 }), "root"),
      request("b", chat("2"), "root", "STATUS_CODE_ERROR"),
    ];
    const lines = requests.map((one) => JSON.stringify(one)).join("\n");
    const [run] = importText(lines);
    expect(run).toMatchObject({ task: "root", trial: "t1", repairs: [{ kind: "call-unanswered", count: 1 }] });
    expect(run?.cassette.entries[0]?.response.usage).toEqual({ inputTokens: 1, outputTokens: 2 });
    expect(importText(JSON.stringify(requests), "otlp").map(({ cassette }) => importOf(cassette).format)).toEqual([
      "otlp",
    ]);
    expect(() => importText(lines, "otel-spans")).toThrow("not in otel-spans format");
  });
});

describe("spans that cannot be", () => {
  const chat = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.prompt.0.content": "a" };
  const answer = { "gen_ai.completion.0.content": "b" };

  it.each(["1e999", "[1e999,1e999]", '"1e999"', '{"seconds":1}', "[null]"])("begin at %s, and are read", (time) => {
    const span = JSON.stringify(ended({ ...chat, ...answer }, { startTime: "TIME" })).replace('"TIME"', time);
    expect(importText(`[${span}]`)[0]?.cassette.entries).toHaveLength(1);
  });

  it("are refused where dots and JSON in texts nest deeper than JSON may", () => {
    const name = (steps: number) => `gen_ai.prompt.0.content.${"a.".repeat(steps)}b`;
    const inText = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    for (const steps of [300, 30_000]) {
      expect(() => importSpans(ended({ ...chat, ...answer, [name(steps)]: 1 }))).toThrow("more than 128 parts");
    }
    const nested = { ...chat, ...answer, [name(100)]: JSON.parse(inText(60)) as unknown };
    expect(() => importSpans(ended(nested))).toThrow("nested deeper than 128 levels once it is unpacked");
  });

  it("have no tokens if the counts are not numbers, and keep whole numbers that a double cannot", () => {
    const counts = (input: unknown, output: unknown) => ({
      ...chat,
      ...answer,
      "gen_ai.usage.input_tokens": input,
      "gen_ai.usage.output_tokens": output,
    });
    for (const odd of ["", null, [], true, "many", "1e999"]) {
      expect(onlyRun(ended(counts(odd, 1))).cassette.entries[0]?.response).not.toHaveProperty("usage");
    }
    const big = { key: "gen_ai.completion.0.content", value: { intValue: "9007199254740993" } };
    const attributes = [...Object.entries(chat).map(([key, text]) => ({ key, value: { stringValue: text } })), big];
    const spans = [{ traceId: "t1", spanId: "a", name: "chat", attributes }];
    const [run] = importText(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
    expect(run?.cassette.entries[0]?.response.finalAnswer).toBe("9007199254740993");
  });
});
