import { describe, expect, it } from "vitest";
import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import { exportCassette } from "../../../src/cassette/export/export.js";
import { EXPORT_FORMATS, type ExportedCassette } from "../../../src/cassette/export/format.js";
import { findThreads } from "../../../src/cassette/export/threads.js";
import type { CassetteError } from "../../../src/cassette/errors.js";
import { importLog } from "../../../src/cassette/import/import.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { answerOf, cassetteOf, turnsOf } from "../../../src/harness/arbitraries/cassettes.js";
import { weatherCassette } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { hasShared, readShared } from "../../support/shared.js";

const MESSAGES: LlmMessage[] = [
  { role: "system", content: "You are brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image", url: "https://example.com/a.png" },
    ],
  },
  {
    role: "assistant",
    content: "Let me look.",
    reasoning: [
      { type: "text", text: "A picture.", signature: "c2ln" },
      { type: "redacted", data: "eA==" },
    ],
    toolCalls: [
      { id: "c1", name: "look", arguments: { at: 1 } },
      { id: "c2", name: "look", arguments: {}, malformedArguments: "{torn" },
    ],
  },
  { role: "tool", toolCallId: "c1", name: "look", content: "a cat" },
  { role: "tool", toolCallId: "c2", name: "look", content: "bad arguments", isError: true },
  { role: "assistant", content: "A cat." },
];
const TOOL = {
  name: "look",
  description: "Looks.",
  schema: { type: "object" as const, properties: { at: { type: "number" } } },
};

function pictureCassette(response: Partial<LlmTurnResponse> = {}) {
  const turns = turnsOf(MESSAGES);
  const last = turns.at(-1);
  if (last !== undefined) last.response = { ...last.response, ...response };
  const context = { toolsHash: "0".repeat(64), settingsHash: "1".repeat(64), tools: [TOOL] };
  return cassetteOf(turns, { contexts: [{ fromTurn: 0, ...context, settings: { temperature: 0, seed: 7 } }] });
}

function lossesOf({ losses }: ExportedCassette): Record<string, number> {
  return Object.fromEntries(losses.map(({ kind, count }) => [kind, count]));
}

function codeOf(run: () => unknown): string {
  return (refusal(run) as CassetteError).code;
}

async function rejectedCode(exported: Promise<unknown>): Promise<string> {
  return ((await rejection(exported)) as CassetteError).code;
}

describe("exportCassette", () => {
  it("writes chat messages of OpenAI", async () => {
    const exported = await exportCassette(pictureCassette(), { format: "openai" });
    expect(exported.documents).toEqual([
      {
        model: "gpt-4o",
        tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters: TOOL.schema } }],
        messages: [
          { role: "system", content: "You are brief." },
          {
            role: "user",
            content: [
              { type: "text", text: "What is this?" },
              { type: "image_url", image_url: { url: "https://example.com/a.png" } },
            ],
          },
          {
            role: "assistant",
            content: "Let me look.",
            tool_calls: [
              { id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } },
              { id: "c2", type: "function", function: { name: "look", arguments: "{}" } },
            ],
          },
          { role: "tool", tool_call_id: "c1", content: "a cat" },
          { role: "tool", tool_call_id: "c2", content: "bad arguments" },
          { role: "assistant", content: "A cat." },
        ],
      } satisfies ChatCompletionCreateParams,
    ]);
    expect(lossesOf(exported)).toEqual({ "malformed-arguments": 1, reasoning: 2, settings: 1, "tool-error": 1 });
  });

  it("writes messages of Anthropic: system apart, results in one user message, thoughts as blocks", async () => {
    const exported = await exportCassette(pictureCassette(), { format: "anthropic" });
    expect(exported.documents).toEqual([
      {
        model: "gpt-4o",
        system: "You are brief.",
        tools: [{ name: "look", description: "Looks.", input_schema: TOOL.schema }],
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "What is this?" },
              { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
            ],
          },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "A picture.", signature: "c2ln" },
              { type: "redacted_thinking", data: "eA==" },
              { type: "text", text: "Let me look." },
              { type: "tool_use", id: "c1", name: "look", input: { at: 1 } },
              { type: "tool_use", id: "c2", name: "look", input: {} },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "c1", content: "a cat" },
              { type: "tool_result", tool_use_id: "c2", content: "bad arguments", is_error: true },
            ],
          },
          { role: "assistant", content: [{ type: "text", text: "A cat." }] },
        ],
      } satisfies Omit<MessageCreateParams, "max_tokens">,
    ]);
    expect(lossesOf(exported)).toEqual({ "malformed-arguments": 1, settings: 1 });
  });

  it("writes model messages of the AI SDK, which hold every message whole", async () => {
    const exported = await exportCassette(pictureCassette(), { format: "ai-sdk" });
    expect(exported.documents).toEqual([
      {
        model: "gpt-4o",
        tools: [{ type: "function", name: "look", description: "Looks.", inputSchema: TOOL.schema }],
        messages: [
          { role: "system", content: "You are brief." },
          {
            role: "user",
            content: [
              { type: "text", text: "What is this?" },
              { type: "image", image: "https://example.com/a.png" },
            ],
          },
          {
            role: "assistant",
            content: [
              { type: "reasoning", text: "A picture.", providerOptions: { anthropic: { signature: "c2ln" } } },
              { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "eA==" } } },
              { type: "text", text: "Let me look." },
              { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: 1 } },
              { type: "tool-call", toolCallId: "c2", toolName: "look", input: "{torn" },
            ],
          },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "a cat" } },
              {
                type: "tool-result",
                toolCallId: "c2",
                toolName: "look",
                output: { type: "error-text", value: "bad arguments" },
              },
            ],
          },
          { role: "assistant", content: "A cat." },
        ],
      },
    ]);
    expect(lossesOf(exported)).toEqual({ settings: 1 });
  });

  it("lists what no list of messages holds of an answer", async () => {
    const usage = { inputTokens: 3, outputTokens: 1 };
    const given = { usage, costUsd: 1, stopReason: "length", finalAnswer: "Cat", model: "m-2" } as const;
    const cassette = pictureCassette(given);
    for (const format of ["openai", "anthropic", "ai-sdk"] as const) {
      const exported = await exportCassette(cassette, { format });
      expect(exported.documents[0]?.["model"]).toBe("m-2");
      expect(lossesOf(exported)).toMatchObject({
        ...{ cost: 1, "final-answer": 1, "model-changed": 1, settings: 1, "stop-reason": 1, usage: 1 },
      });
    }
  });

  it("counts the answer that the next prompt had in other words, and turns with other tools", async () => {
    const first = {
      prompt: [{ role: "user", content: "a" }],
      response: answerOf({ role: "assistant", content: "b " }),
    } as const;
    const prompt: LlmMessage[] = [...first.prompt, { role: "assistant", content: "b" }, { role: "user", content: "c" }];
    const contexts = [0, 1].map((turn) => ({
      ...{ fromTurn: turn, toolsHash: String(turn).repeat(64), settingsHash: "1".repeat(64) },
      tools: turn === 0 ? [] : [TOOL, { name: "odd" }],
    }));
    const cassette = cassetteOf([first, { prompt, response: answerOf({ role: "assistant", content: "d" }) }], {
      contexts,
    });
    const exported = await exportCassette(cassette, { format: "openai" });
    expect(exported.documents[0]?.["messages"]).toEqual([...prompt, { role: "assistant", content: "d" }]);
    expect(lossesOf(exported)).toEqual({ "answer-rewritten": 1, "tool-definition": 1, "tools-changed": 1 });
  });

  it("counts what is changed to fit the vendor, and what comes in addition to the turns", async () => {
    const messages: LlmMessage[] = [
      { role: "system", content: "One." },
      { role: "user", content: "a" },
      { role: "assistant", content: "", toolCalls: [{ id: "c:1", name: "look at", arguments: {} }] },
      { role: "tool", toolCallId: "c:1", name: "other", content: "", isError: true },
      { role: "system", content: "Two." },
      { role: "system", content: "" },
      { role: "assistant", content: "" },
    ];
    const trailing = [{ role: "user", content: "bye" }];
    const cassette = cassetteOf(turnsOf(messages), { streams: [{ turn: 0 }], import: { model: "m", trailing } });
    const beside = { stream: 1, trailing: 1 };
    expect(lossesOf(await exportCassette(cassette, { format: "anthropic" }))).toEqual({
      ...{ "call-id": 1, "empty-error": 1, "empty-message": 2, "system-joined": 1, "system-moved": 1 },
      ...{ "tool-name": 2, ...beside },
    });
    expect(lossesOf(await exportCassette(cassette, { format: "openai" }))).toEqual({
      ...{ "tool-error": 1, "tool-name": 2, ...beside },
    });
    expect(lossesOf(await exportCassette(cassette, { format: "otlp" }))).toEqual({ "tool-name": 1, ...beside });
    expect(lossesOf(await exportCassette(cassette, { format: "ai-sdk" }))).toEqual(beside);
  });

  it("writes one document for each conversation, and says how many", async () => {
    const [a = never(), b = never()] = ["a", "b"].map((content) => ({
      prompt: [{ role: "user", content } as const],
      response: answerOf({ role: "assistant", content }),
    }));
    const exported = await exportCassette(cassetteOf([a, b]), { format: "openai" });
    expect(exported.turns).toBe(2);
    expect(exported.documents.map((document) => (document["messages"] as unknown[]).length)).toEqual([2, 2]);
  });

  it("gives nothing for a cassette without turns", async () => {
    expect(await exportCassette(cassetteOf([]), { format: "otlp" })).toEqual({ documents: [], turns: 0, losses: [] });
  });

  it("refuses prompts that are hashes alone, but for otlp, which then has the answers", async () => {
    const cassette = await weatherCassette({ prompts: false });
    for (const format of EXPORT_FORMATS) {
      if (format !== "otlp")
        expect(await rejectedCode(exportCassette(cassette, { format }))).toBe("export-without-prompts");
    }
    expect(lossesOf(await exportCassette(cassette, { format: "otlp" }))).toMatchObject({ prompt: 2 });
  });

  it("refuses version 1, an unknown format and an unknown option", async () => {
    const old = { version: 1, recordedAt: "", recordedProvider: "", entries: [] } as const;
    expect(await rejectedCode(exportCassette({ ...old, entries: [] }, { format: "otlp" }))).toBe(
      "export-without-prompts",
    );
    expect(await rejectedCode(exportCassette(pictureCassette(), { format: "csv" as "otlp" }))).toBe("invalid-options");
    const options = { format: "otlp", pretty: true } as const;
    expect(await rejectedCode(exportCassette(pictureCassette(), options))).toBe("invalid-options");
  });

  it("refuses what would be too large before it is built", () => {
    const { entries } = pictureCassette();
    const once = findThreads(entries, { kind: "threads" }, 1_000);
    expect(once).toHaveLength(1);
    expect(codeOf(() => findThreads(entries, { kind: "threads" }, 100))).toBe("export-too-large");
    const extent = { kind: "prompts", perTurn: () => 1_000 } as const;
    expect(codeOf(() => findThreads(entries, extent, 1_000))).toBe("export-too-large");
  });
});

function never(): never {
  throw new Error("the list is shorter than it was written");
}

describe.skipIf(!hasShared)("real runs", () => {
  const logs = [
    "data/trajectories/agentdojo-utility.jsonl.gz",
    "data/trajectories/agentdojo-injected.jsonl.gz",
    "data/trajectories/tau-bench-gpt-4o-airline.json.gz",
  ];
  it.each(logs)("of %s are exported to every format, one conversation each", async (log) => {
    let seen = 0;
    for (const { cassette } of importLog(readShared(log), { source: log, recordedAt: "2026-11-20T12:00:00Z" })) {
      if (++seen > 20) break;
      for (const format of EXPORT_FORMATS) {
        const { documents, turns } = await exportCassette(cassette, { format });
        expect(turns).toBe(cassette.entries.length);
        expect(documents).toHaveLength(turns === 0 ? 0 : 1);
      }
    }
    expect(seen).toBeGreaterThan(0);
  });
});
