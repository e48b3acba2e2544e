// The agent on the AI SDK. Run it: node examples/frameworks/ai-sdk.mjs
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { fromAiSdk, toAiSdk } from "playhead/ai-sdk";
import { z } from "zod";
import { describe, instructions, models, question, wardrobe, weather } from "./scene.mjs";
import { demonstrate } from "./steps.mjs";

const tools = {
  weather: tool({ description: describe.weather, inputSchema: z.object({ city: z.string() }), execute: weather }),
  wardrobe: tool({ description: describe.wardrobe, inputSchema: z.object({ sky: z.string() }), execute: wardrobe }),
};

const usage = {
  inputTokens: { total: 60, noCache: 60, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 9, text: 9, reasoning: 0 },
};
const said = (step) =>
  typeof step === "string"
    ? { content: [{ type: "text", text: step }], finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] }
    : {
        content: [{ type: "tool-call", toolCallId: step.id, toolName: step.name, input: JSON.stringify(step.args) }],
        finishReason: { unified: "tool-calls", raw: "tool_calls" },
        usage,
        warnings: [],
      };

export const framework = {
  name: "ai-sdk",
  /** In your code: fromAiSdk(openai(model)). */
  live: (model) =>
    fromAiSdk(new MockLanguageModelV3({ provider: "acme", modelId: model, doGenerate: models[model].map(said) })),
  async run(provider) {
    const { text } = await generateText({
      model: toAiSdk(provider),
      system: instructions,
      prompt: question,
      tools,
      stopWhen: stepCountIs(5),
    });
    return text;
  },
};

await demonstrate(import.meta.url, framework);
