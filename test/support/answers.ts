// Answers that a model could give to the requests of the provider suite.

import type { LlmToolCall } from "../../src/core/model/message.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../src/core/model/provider.js";
import { ask, say } from "./script.js";

const paid = () => ({ usage: { inputTokens: 12, outputTokens: 7 }, costUsd: 0.001, model: "m-1" });

/** Calls the weather tool if it is offered, and answers everything else. */
export function answerTo({ messages, tools }: Pick<LlmTurnRequest, "messages" | "tools">): LlmTurnResponse {
  const mayAsk = tools !== undefined && messages.at(-1)?.role === "user";
  const call = (city: string): Pick<LlmToolCall, "id" | "name" | "arguments"> => ({
    id: `call_${city}`,
    name: "weather",
    arguments: { city },
  });
  return mayAsk
    ? ask([call("Oslo"), call("Rome")], { content: "Let me look at both.", ...paid() })
    : say("9.9 is larger than 9.11, as 9.90 shows at a glance.", paid());
}
