// The agent on the OpenAI Agents SDK. Run it: node examples/frameworks/openai-agents.mjs
import { Agent, Runner, tool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents-core/testing";
import { fromAgentsModel, toAgentsModel } from "playhead/openai-agents";
import { z } from "zod";
import { describe, instructions, models, question, wardrobe, weather } from "./scene.mjs";
import { demonstrate } from "./steps.mjs";

const tools = [
  tool({
    name: "weather",
    description: describe.weather,
    parameters: z.object({ city: z.string() }),
    execute: weather,
  }),
  tool({
    name: "wardrobe",
    description: describe.wardrobe,
    parameters: z.object({ sky: z.string() }),
    execute: wardrobe,
  }),
];

const said = (step) =>
  typeof step === "string" ? [assistantMessage(step)] : [functionCall(step.name, step.args, { callId: step.id })];

export const framework = {
  name: "openai-agents",
  /** In your code: fromAgentsModel(await new OpenAIProvider().getModel(model)). */
  live: (model) => fromAgentsModel(new ScriptedModel(models[model].map(said)), `acme:${model}`),
  async run(provider) {
    const agent = new Agent({ name: "packer", instructions, tools, model: toAgentsModel(provider) });
    // The SDK's own tracing would use the network.
    const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, question);
    return finalOutput;
  },
};

await demonstrate(import.meta.url, framework);
