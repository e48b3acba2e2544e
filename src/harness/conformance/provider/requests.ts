// The requests of the provider suite.

import { seal, type LlmTurnRequest } from "../../../core/index.js";

export type ProviderRequests = Readonly<Record<"plain" | "tools" | "settings" | "conversation", LlmTurnRequest>>;

const instruction = { role: "system", content: "Answer in one sentence." } as const;
const comparison = [instruction, { role: "user", content: "Which is larger, 9.11 or 9.9?" }] as const;
const question = [instruction, { role: "user", content: "How is the weather in Oslo?" }] as const;
const weather = {
  name: "weather",
  description: "The weather in a city.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/**
 * All requests of the suite. One provider gets each at most {@link MAX_ASKED} times. A provider with fixed answers (a cassette, a
 * script) must know these requests. Answer `tools` with a call if possible, because the cases about calls check that answer.
 */
export const PROVIDER_REQUESTS: ProviderRequests = {
  plain: seal({ messages: comparison }),
  tools: seal({ messages: question, tools: [weather] }),
  settings: seal({ messages: comparison, settings: { temperature: 0, maxTokens: 256, stop: ["END"] } }),
  conversation: seal({
    messages: [
      ...question,
      { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "weather", arguments: { city: "Oslo" } }] },
      { role: "tool", toolCallId: "call_1", name: "weather", content: "rain" },
    ],
    tools: [weather],
  }),
};
