// LangGraph: createReactAgent without a checkpointer, arguments checked by zod.

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { createScript, DESCRIPTION, GOAL, SYSTEM } from "./script.mjs";

const schema = z.object({ a: z.number(), b: z.number() });
const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };

class ScriptedModel extends BaseChatModel {
  constructor(script) {
    super({});
    this.script = script;
  }

  _llmType() {
    return "bench";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const { calls = [], text = "" } = this.script.answer(messages.length);
    const toolCalls = calls.map(({ id, name, json }) => ({ id, name, args: JSON.parse(json), type: "tool_call" }));
    const message = new AIMessage({ content: text, tool_calls: toolCalls, usage_metadata: usage });
    return { generations: [{ text, message }] };
  }
}

export async function run(turns, calls) {
  const script = createScript(turns, calls);
  const agent = createReactAgent({
    llm: new ScriptedModel(script),
    tools: [tool((input) => script.add(input), { name: "add", description: DESCRIPTION, schema })],
    prompt: SYSTEM,
  });
  const start = { messages: [{ role: "user", content: GOAL }] };
  const { messages } = await agent.invoke(start, { recursionLimit: 4 * turns + 10 });
  script.assertDone(messages.at(-1).content);
}
