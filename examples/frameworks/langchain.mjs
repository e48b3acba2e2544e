// The agent on LangChain. Run it: node examples/frameworks/langchain.mjs
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { createAgent, tool } from "langchain";
import { cassetteChatModel, fromLangChain } from "playhead/langchain";
import { z } from "zod";
import { describe, instructions, models, question, wardrobe, weather } from "./scene.mjs";
import { demonstrate } from "./steps.mjs";

const tools = [
  tool(weather, { name: "weather", description: describe.weather, schema: z.object({ city: z.string() }) }),
  tool(wardrobe, { name: "wardrobe", description: describe.wardrobe, schema: z.object({ sky: z.string() }) }),
];

const said = (step) =>
  typeof step === "string"
    ? new AIMessage(step)
    : new AIMessage({ content: "", tool_calls: [{ ...step, type: "tool_call" }] });

export const framework = {
  name: "langchain",
  /** In your code: fromLangChain(new ChatOpenAI({ model })). */
  live: (model) =>
    fromLangChain(
      models[model].reduce((fake, step) => fake.respond(said(step)), fakeModel()),
      { name: `acme:${model}` },
    ),
  async run(provider) {
    const agent = createAgent({ model: cassetteChatModel(provider), tools, systemPrompt: instructions });
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: question }] });
    return messages.at(-1).text;
  },
};

await demonstrate(import.meta.url, framework);
