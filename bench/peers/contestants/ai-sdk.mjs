// AI SDK 7: generateText until it stops by itself, arguments checked by zod. The model is a plain object, since the mock of
// `ai/test` keeps every prompt.

import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";
import { createScript, DESCRIPTION, GOAL, SYSTEM } from "./script.mjs";

globalThis.AI_SDK_LOG_WARNINGS = false;
const inputSchema = z.object({ a: z.number(), b: z.number() });
const usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 },
};

function createModel(script) {
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "instant",
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const { calls, text } = script.answer(prompt.length);
      const content = calls?.map(({ id, name, json }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input: json,
      })) ?? [{ type: "text", text }];
      const finishReason = { unified: calls === undefined ? "stop" : "tool-calls", raw: undefined };
      return { content, finishReason, usage, warnings: [] };
    },
  };
}

export async function run(turns, calls) {
  const script = createScript(turns, calls);
  const { text } = await generateText({
    model: createModel(script),
    tools: { add: tool({ description: DESCRIPTION, inputSchema, execute: script.add }) },
    instructions: SYSTEM,
    prompt: GOAL,
    stopWhen: isStepCount(turns + 1),
  });
  script.assertDone(text);
}
