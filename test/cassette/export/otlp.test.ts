import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exportDocuments } from "../../../src/cassette/export/documents.js";
import { rebuildPrompts } from "../../../src/cassette/prompt/rebuild.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { answerOf, cassetteOf, turnsOf } from "../../../src/harness/arbitraries/cassettes.js";
import { conversation } from "../../../src/harness/arbitraries/messages.js";

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

interface Message {
  role: string;
  parts: { type: string; content?: string }[];
}

/** The spans of each document. */
function tracesOf(cassette: CassetteV2): Span[][] {
  const { documents } = exportDocuments(cassette, "otlp");
  return (documents as unknown as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }[]).map(
    ({ resourceSpans }) => resourceSpans[0]?.scopeSpans[0]?.spans ?? [],
  );
}

function attributesOf({ attributes }: Span): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value["stringValue"] ?? value["intValue"] ?? value["arrayValue"]]),
  );
}

function lossesOf(cassette: CassetteV2): Record<string, number> {
  const { losses } = exportDocuments(cassette, "otlp");
  return Object.fromEntries(losses.map(({ kind, count }) => [kind, count]));
}

const MESSAGES: LlmMessage[] = [
  { role: "system", content: "You are brief." },
  { role: "user", content: [{ type: "image", mediaType: "image/png", data: "aGk=" }] },
  {
    role: "assistant",
    content: "",
    reasoning: [
      { type: "text", text: "Hm.", signature: "c2ln" },
      { type: "redacted", data: "eA==" },
    ],
    toolCalls: [{ id: "c1", name: "look", arguments: { at: 1 } }],
  },
  { role: "tool", toolCallId: "c1", name: "look", content: "no eyes", isError: true },
  { role: "assistant", content: "A cat." },
];
const SETTINGS = { temperature: 0.5, topP: 1, maxTokens: 9, seed: 7, stop: ["."], toolChoice: "auto" };

function pictureCassette(): CassetteV2 {
  const turns = turnsOf(MESSAGES);
  const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 1, reasoningTokens: 1 };
  const last = turns.at(-1);
  if (last !== undefined) last.response = { ...last.response, usage, costUsd: 1, model: "gpt-4o-2024-08-06" };
  const tools = [{ name: "look", description: "Looks.", schema: { type: "object" } }];
  const context = { toolsHash: "0".repeat(64), settingsHash: "1".repeat(64), tools, settings: SETTINGS };
  return cassetteOf(turns, { contexts: [{ fromTurn: 0, ...context }] }, { agentId: "seer" });
}

describe("export to otlp", () => {
  it("writes an agent span, a chat span for each turn and a tool span for each result", () => {
    const [spans = []] = tracesOf(pictureCassette());
    expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
      ["invoke_agent seer", 1],
      ["chat gpt-4o", 3],
      ["execute_tool look", 1],
      ["chat gpt-4o", 3],
    ]);
    const [root, , tool] = spans;
    expect(new Set(spans.slice(1).map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]));
    expect(tool?.status).toEqual({ code: 2 });
    expect(attributesOf(tool as Span)).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.call.arguments": '{"at":1}',
      "gen_ai.tool.call.result": "no eyes",
    });
  });

  it("says of a turn what was asked, with what settings, and what it used", () => {
    const [spans = []] = tracesOf(pictureCassette());
    const attributes = attributesOf(spans.at(-1) as Span);
    expect(attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.response.model": "gpt-4o-2024-08-06",
      "gen_ai.request.max_tokens": "9",
      "gen_ai.request.seed": "7",
      "gen_ai.response.finish_reasons": { values: [{ stringValue: "stop" }] },
      "gen_ai.usage.input_tokens": "10",
      "gen_ai.usage.output_tokens": "2",
      "gen_ai.usage.cache_read.input_tokens": "4",
      "gen_ai.usage.cache_creation.input_tokens": "1",
    });
    expect(JSON.parse(attributes["gen_ai.system_instructions"] as string)).toEqual([
      { type: "text", content: "You are brief." },
    ]);
    expect(JSON.parse(attributes["gen_ai.tool.definitions"] as string)).toEqual([
      { type: "function", name: "look", description: "Looks.", parameters: { type: "object" } },
    ]);
    expect(JSON.parse(attributes["gen_ai.input.messages"] as string)).toEqual([
      { role: "user", parts: [{ type: "blob", modality: "image", mime_type: "image/png", content: "aGk=" }] },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "Hm." },
          { type: "tool_call", id: "c1", name: "look", arguments: { at: 1 } },
        ],
      },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "no eyes" }] },
    ]);
    expect(JSON.parse(attributes["gen_ai.output.messages"] as string)).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "A cat." }], finish_reason: "stop" },
    ]);
  });

  it("lists what spans do not hold", () => {
    // The tool choice is asked at both turns.
    expect(lossesOf(pictureCassette())).toEqual({ cost: 1, reasoning: 1, "reasoning-signature": 1, settings: 2 });
    const late = cassetteOf(turnsOf(MESSAGES).slice(1));
    expect(lossesOf(late)).toMatchObject({ "tool-error": 1 });
  });

  it("gives every turn and tool a millisecond from the time of recording on, and 0 without one", () => {
    const [spans = []] = tracesOf(pictureCassette());
    const begin = BigInt(Date.UTC(2026, 10, 20, 12)) * 1_000_000n;
    expect(spans.map((span) => BigInt(span.startTimeUnixNano) - begin)).toEqual([0n, 0n, 1_000_000n, 2_000_000n]);
    expect(BigInt(spans[0]?.endTimeUnixNano ?? 0) - begin).toBe(3_000_000n);
    const [undated = []] = tracesOf(cassetteOf(turnsOf(MESSAGES), {}, { recordedAt: "long ago" }));
    expect(undated[0]?.startTimeUnixNano).toBe("0");
  });

  it("writes one trace for each conversation, with ids of their own", () => {
    const turns = ["a", "b"].map((content) => ({
      prompt: [{ role: "user", content } as const],
      response: answerOf({ role: "assistant", content }),
    }));
    const traces = tracesOf(cassetteOf(turns));
    expect(traces).toHaveLength(2);
    expect(new Set(traces.flat().map(({ traceId }) => traceId)).size).toBe(2);
    expect(new Set(traces.flat().map(({ spanId }) => spanId)).size).toBe(4);
  });

  it("has every message of every prompt, the same at every export, under ids that are never used twice", () => {
    fc.assert(
      fc.property(conversation(), (messages) => {
        const cassette = cassetteOf(turnsOf(messages));
        const traces = tracesOf(cassette);
        expect(tracesOf(cassette)).toEqual(traces);
        const spans = traces.flat();
        expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
        const asked = spans.filter(({ kind }) => kind === 3).map(attributesOf);
        expect(asked.map(readPrompt)).toEqual(rebuildPrompts(cassette)?.map((prompt) => prompt.map(wordsOf)));
      }),
      { numRuns: 50 },
    );
  });
});

/** Role and texts of every message a chat span was asked. */
function readPrompt(attributes: Record<string, unknown>): [string, string][] {
  const system = JSON.parse(
    (attributes["gen_ai.system_instructions"] as string | undefined) ?? "[]",
  ) as Message["parts"];
  const input = JSON.parse(attributes["gen_ai.input.messages"] as string) as Message[];
  return [
    ...system.map(({ content = "" }): [string, string] => ["system", content]),
    ...input.map(({ role, parts }): [string, string] => [
      role,
      textsOf(parts as { type: string; [field: string]: unknown }[]),
    ]),
  ];
}

function textsOf(parts: readonly { type: string; [field: string]: unknown }[]): string {
  return parts
    .map((part) =>
      part.type === "text" ? part["content"] : part.type === "tool_call_response" ? part["response"] : "",
    )
    .join("");
}

function wordsOf({ role, content }: LlmMessage): [string, string] {
  return [
    role,
    typeof content === "string"
      ? content
      : textsOf(content.map((part) => ("text" in part ? { type: "text", content: part.text } : { type: "" }))),
  ];
}
