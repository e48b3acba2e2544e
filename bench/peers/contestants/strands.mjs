// Strands: Agent.invoke with the manager that keeps the whole conversation, nothing printed, arguments checked by zod.

import { Agent, Model, NullConversationManager, tool } from "@strands-agents/sdk";
import { z } from "zod";
import { createScript, DESCRIPTION, GOAL, SYSTEM } from "./script.mjs";

const inputSchema = z.object({ a: z.number(), b: z.number() });
const usage = { inputTokens: 100, outputTokens: 10, totalTokens: 110 };

class ScriptedModel extends Model {
  constructor(script) {
    super();
    this.script = script;
    this.config = { modelId: "instant", contextWindowLimit: 1e9 };
  }

  updateConfig() {}

  getConfig() {
    return this.config;
  }

  async *stream(messages) {
    const { calls, text } = this.script.answer(messages.length);
    yield { type: "modelMessageStartEvent", role: "assistant" };
    for (const { id, name, json } of calls ?? []) {
      yield { type: "modelContentBlockStartEvent", start: { type: "toolUseStart", name, toolUseId: id } };
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "toolUseInputDelta", input: json } };
      yield { type: "modelContentBlockStopEvent" };
    }
    if (calls === undefined) {
      yield { type: "modelContentBlockStartEvent" };
      yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text } };
      yield { type: "modelContentBlockStopEvent" };
    }
    yield { type: "modelMessageStopEvent", stopReason: calls === undefined ? "endTurn" : "toolUse" };
    yield { type: "modelMetadataEvent", usage };
  }
}

export async function run(turns, calls) {
  const script = createScript(turns, calls);
  const agent = new Agent({
    model: new ScriptedModel(script),
    systemPrompt: SYSTEM,
    printer: false,
    conversationManager: new NullConversationManager(),
    tools: [tool({ name: "add", description: DESCRIPTION, inputSchema, callback: (input) => script.add(input) })],
  });
  const { lastMessage } = await agent.invoke(GOAL);
  script.assertDone(lastMessage.content.find(({ type }) => type === "textBlock")?.text);
}
