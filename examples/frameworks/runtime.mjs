// The agent on Playhead's own runtime. It records nothing by itself (see steps.mjs). Run it: node examples/frameworks/runtime.mjs
import { createRuntime, defineTool, scriptedProvider } from "playhead";
import { describe, instructions, models, question, wardrobe, weather } from "./scene.mjs";
import { demonstrate } from "./steps.mjs";

const text = (field) => ({ type: "object", required: [field], properties: { [field]: { type: "string" } } });
const tools = [
  defineTool({ name: "weather", description: describe.weather, schema: text("city"), invoke: weather }),
  defineTool({ name: "wardrobe", description: describe.wardrobe, schema: text("sky"), invoke: wardrobe }),
];

export const framework = {
  name: "runtime",
  /** In your code: openaiProvider({ apiKey, model }). */
  live: (model) =>
    scriptedProvider(
      models[model].map((step) =>
        typeof step === "string"
          ? { message: { role: "assistant", content: step }, finalAnswer: step, stopReason: "stop" }
          : {
              message: {
                role: "assistant",
                content: "",
                toolCalls: [{ id: step.id, name: step.name, arguments: step.args }],
              },
              stopReason: "toolUse",
            },
      ),
    ),
  async run(provider) {
    const runtime = createRuntime({
      agents: [{ id: "packer", systemPrompt: instructions, provider, customTools: tools }],
    });
    const { finalAnswer } = await runtime.run({ goal: question });
    await runtime.destroy();
    return finalAnswer;
  },
};

await demonstrate(import.meta.url, framework);
