// AI SDK 7: generateText or streamText until it stops by itself, arguments checked by zod. The model is a plain object, since the mock of
// `ai/test` keeps every prompt.

import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { createScript, DESCRIPTION, GOAL, SYSTEM } from "./script.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;
const inputSchema = z.object({ a: z.number(), b: z.number() });
const usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 },
};

function createModel(script) {
  const generate = (prompt) => {
    const { calls, text } = script.answer(prompt.length);
    const content = calls?.map(({ id, name, json }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: json,
    })) ?? [{ type: "text", text }];
    return { content, finishReason: { unified: calls === undefined ? "stop" : "tool-calls", raw: undefined } };
  };
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "instant",
    supportedUrls: {},
    async doGenerate({ prompt }) {
      return { ...generate(prompt), usage, warnings: [] };
    },
    async doStream({ prompt }) {
      const { content, finishReason } = generate(prompt);
      const parts = content.flatMap((part) => (part.type === "text" ? deltasOf(part.text) : [part]));
      const all = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
      return { stream: ReadableStream.from(all) };
    },
  };
}

function deltasOf(delta) {
  return [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta },
    { type: "text-end", id: "t" },
  ];
}

function settingsOf(script, turns) {
  return {
    model: createModel(script),
    tools: { add: tool({ description: DESCRIPTION, inputSchema, execute: script.add }) },
    instructions: SYSTEM,
    prompt: GOAL,
    stopWhen: isStepCount(turns + 1),
  };
}

export async function run(turns, calls) {
  const script = createScript(turns, calls);
  const { text } = await generateText(settingsOf(script, turns));
  script.assertDone(text);
}

async function runStream(turns, calls) {
  const script = createScript(turns, calls);
  const result = streamText(settingsOf(script, turns));
  for await (const _part of result.stream ?? result.fullStream);
  script.assertDone(await result.text);
}

export const contestants = { stream: { run: runStream } };
