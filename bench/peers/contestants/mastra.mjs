// Mastra: Agent.generate without memory, arguments checked by zod.

import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { createScript, DESCRIPTION, GOAL, SYSTEM } from "./script.mjs";

const inputSchema = z.object({ a: z.number(), b: z.number() });
const usage = { inputTokens: 100, outputTokens: 10, totalTokens: 110 };

function createModel(script) {
  return {
    specificationVersion: "v2",
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
      return { content, finishReason: calls === undefined ? "stop" : "tool-calls", usage, warnings: [] };
    },
    async doStream({ prompt }) {
      const { calls, text } = script.answer(prompt.length);
      const parts = calls?.map(({ id, name, json }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input: json,
      })) ?? [
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: text },
        { type: "text-end", id: "0" },
      ];
      const finish = { type: "finish", finishReason: calls === undefined ? "stop" : "tool-calls", usage };
      return { stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...parts, finish]) };
    },
  };
}

export async function run(turns, calls) {
  const script = createScript(turns, calls);
  const agent = new Agent({
    id: "calculator",
    name: "calculator",
    instructions: SYSTEM,
    model: createModel(script),
    tools: {
      add: createTool({ id: "add", description: DESCRIPTION, inputSchema, execute: (input) => script.add(input) }),
    },
  });
  const { text } = await agent.generate(GOAL, { maxSteps: turns + 1 });
  script.assertDone(text);
}
