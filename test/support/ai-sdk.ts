// The three installed major versions of the AI SDK, and models for them that give a test's answers, whole or streamed.

import * as ai6 from "ai";
import * as ai5 from "ai5";
import * as ai7 from "ai7";
import { z } from "zod";
import type { SpecVersion } from "../../src/harness/adapters/ai-sdk/sdk-types.js";

// The warnings of the scripts are recorded, so they need not appear on a terminal.
Reflect.set(globalThis, "AI_SDK_LOG_WARNINGS", false);

/** AI SDK 5, 6 and 7, and the newest version that each takes. The types of 6 stand for all, because the differences do not matter to the tests. */
export const SDKS: readonly (readonly [name: string, sdk: typeof ai6, version: SpecVersion])[] = [
  ["AI SDK 6", ai6, "v3"],
  ["AI SDK 7", ai7 as unknown as typeof ai6, "v4"],
  ["AI SDK 5", ai5 as unknown as typeof ai6, "v2"],
];

export type Part = Record<string, unknown>;

/** One answer: its parts and its other fields. */
export interface Step {
  content: Part[];
  finish?: string;
  raw?: string;
  metadata?: Part;
  warnings?: Part[];
}

export interface ScriptedModel {
  readonly specificationVersion: "v3";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  readonly calls: Part[];
  doGenerate(options: unknown): Promise<never>;
  doStream(options: unknown): Promise<never>;
}

/** A model of the SDK that answers each call with the next step. Its type is version 3 for every version. */
export function scriptedModel(steps: readonly (Step | Error)[], version: SpecVersion = "v3"): ScriptedModel {
  const calls: Part[] = [];
  const next = (options: unknown): Step => {
    const step = steps[calls.length];
    calls.push(options as Part);
    (options as { abortSignal?: AbortSignal }).abortSignal?.throwIfAborted();
    if (step instanceof Error) throw step;
    if (step === undefined) throw new Error(`the script has ${steps.length} steps`);
    return step;
  };
  return {
    specificationVersion: version as "v3",
    provider: "acme",
    modelId: "acme-1",
    supportedUrls: {},
    calls,
    doGenerate: async (options) => {
      const step = next(options);
      return {
        content: step.content,
        ...endOf(step, version),
        warnings: step.warnings ?? [],
        response: { ...RESPONSE, headers: { "x-request": "1" }, body: {} },
      } as never;
    },
    doStream: async (options) => ({ stream: toStream(partsOf(next(options), version)) }) as never,
  };
}

const RESPONSE = { id: "resp-1", timestamp: new Date("2026-11-20T12:00:00.000Z"), modelId: "acme-1-2026" };

function endOf({ finish, raw, metadata, content }: Step, version: SpecVersion): Part {
  const calls = content.some((part) => part["type"] === "tool-call" && part["providerExecuted"] !== true);
  const unified = finish ?? (calls ? "tool-calls" : "stop");
  return {
    finishReason: version === "v2" ? unified : { unified, raw },
    usage:
      version === "v2"
        ? { inputTokens: 12, outputTokens: 7, totalTokens: 19, reasoningTokens: 3, cachedInputTokens: 4 }
        : {
            inputTokens: { total: 12, noCache: 6, cacheRead: 4, cacheWrite: 2 },
            outputTokens: { total: 7, text: 4, reasoning: 3 },
            raw: { total: 19 },
          },
    ...(metadata === undefined ? {} : { providerMetadata: metadata }),
  };
}

function partsOf(step: Step, version: SpecVersion): Part[] {
  return [
    { type: "stream-start", warnings: step.warnings ?? [] },
    { type: "response-metadata", ...RESPONSE },
    ...step.content.flatMap((part, index) => streamed(part, String(index))),
    { type: "finish", ...endOf(step, version) },
  ];
}

function streamed(part: Part, id: string): Part[] {
  const { type, text, providerMetadata } = part;
  if (type === "tool-call") {
    const { toolCallId, toolName, input, dynamic, providerExecuted } = part;
    const marks = {
      ...(dynamic === true ? { dynamic } : {}),
      ...(providerExecuted === true ? { providerExecuted } : {}),
    };
    return [
      { type: "tool-input-start", id: toolCallId, toolName, ...marks },
      ...halves(String(input)).map((delta) => ({ type: "tool-input-delta", id: toolCallId, delta })),
      { type: "tool-input-end", id: toolCallId },
      part,
    ];
  }
  if (type !== "text" && type !== "reasoning") return [part];
  return [
    { type: `${type}-start`, id },
    ...halves(String(text)).map((delta) => ({ type: `${type}-delta`, id, delta })),
    { type: `${type}-end`, id, ...(providerMetadata === undefined ? {} : { providerMetadata }) },
  ];
}

function halves(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
}

export function toStream<T>(parts: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** An answer with everything that vendors send: thoughts with signatures, texts with ids, two calls, a search by the vendor. */
export const RICH: readonly Step[] = [
  {
    content: [
      { type: "reasoning", text: "First the weather.", providerMetadata: { anthropic: { signature: "c2ln" } } },
      { type: "reasoning", text: "", providerMetadata: { anthropic: { redactedData: "b3BhcXVl" } } },
      { type: "text", text: "Let me look.", providerMetadata: { openai: { itemId: "msg_1" } } },
      {
        type: "tool-call",
        toolCallId: "search-1",
        toolName: "web_search",
        input: '{"q":"Oslo"}',
        providerExecuted: true,
      },
      {
        type: "tool-result",
        toolCallId: "search-1",
        toolName: "web_search",
        result: { hits: 2 },
        providerExecuted: true,
      },
      { type: "source", sourceType: "url", id: "s1", url: "https://example.com/oslo" },
      { type: "text", text: "Both at once." },
      { type: "tool-call", toolCallId: "call-1", toolName: "weather", input: '{ "city": "Oslo" }' },
      {
        type: "tool-call",
        toolCallId: "call-2",
        toolName: "clock",
        input: '{"zone":"CET"}',
        providerMetadata: { google: { thoughtSignature: "dGg=" } },
      },
    ],
    raw: "tool_use",
  },
  {
    content: [{ type: "text", text: "It rains in Oslo at noon." }],
    raw: "end_turn",
    metadata: { acme: { cached: true } },
    warnings: [{ type: "other", message: "topK is ignored" }],
  },
];

/** Two calls at once, then the answer. Our messages have a field for all of it. */
export const PLAIN: readonly Step[] = [
  {
    content: [
      { type: "text", text: "Let me look." },
      { type: "tool-call", toolCallId: "call-1", toolName: "weather", input: '{"city":"Oslo"}' },
      { type: "tool-call", toolCallId: "call-2", toolName: "clock", input: '{"zone":"CET"}' },
    ],
  },
  { content: [{ type: "text", text: "It rains in Oslo at noon." }] },
];

/** The tools of the scripts: one answers with an object, one with a text. */
export function tools(sdk: typeof ai6, weather = "rain") {
  return {
    weather: sdk.tool({
      description: "The weather of a city.",
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => ({ city, weather }),
    }),
    clock: sdk.tool({
      description: "The time in a zone.",
      inputSchema: z.object({ zone: z.string() }),
      execute: ({ zone }) => `noon ${zone}`,
    }),
  };
}

/** For `RICH`. AI SDK 5 rejects a call of a tool that was not offered, even if the vendor runs it. */
export function richTools(sdk: typeof ai6, weather?: string) {
  return { ...tools(sdk, weather), ...(sdk === (ai5 as unknown) ? { web_search: SEARCH } : {}) };
}

const SEARCH = ai5.tool({
  type: "provider-defined",
  id: "acme.web_search",
  name: "web_search",
  args: { max: 2 },
  inputSchema: z.object({ q: z.string() }),
}) as never;
