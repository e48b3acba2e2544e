// Models for the OpenAI Agents SDK that give a test's answers, whole or streamed.

import type { Model, ModelRequest, ModelResponse, StreamEvent } from "@openai/agents";
import { Usage } from "@openai/agents";

type Item = Record<string, unknown>;
export type Answer = readonly Item[];

export function agentsModel(answers: readonly (Answer | Error)[]): { model: Model; asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const next = (request: ModelRequest): ModelResponse => {
    const answer = answers[asked.length];
    asked.push(request);
    request.signal?.throwIfAborted();
    if (answer instanceof Error) throw answer;
    if (answer === undefined) throw new Error(`the script has ${answers.length} answers`);
    const usage = new Usage({
      requests: 1,
      inputTokens: 12,
      outputTokens: 7,
      totalTokens: 19,
      inputTokensDetails: { cached_tokens: 4 },
      outputTokensDetails: { reasoning_tokens: 3 },
    });
    return { usage, output: structuredClone(answer) as never, responseId: `resp-${asked.length}` };
  };
  const model: Model = {
    getResponse: async (request) => next(request),
    async *getStreamedResponse(request): AsyncIterable<StreamEvent> {
      const { usage, output, responseId = "" } = next(request);
      yield { type: "response_started" };
      for (const delta of (output as Item[]).flatMap(textsOf)) yield { type: "output_text_delta", delta };
      yield {
        type: "response_done",
        response: { id: responseId, usage: { ...usage } as never, output: output as never },
      };
    },
  };
  return { model, asked };
}

function textsOf(item: Item): string[] {
  if (item["type"] !== "message") return [];
  return (item["content"] as Item[]).flatMap(({ text }) => (typeof text === "string" ? text.split(/(?<= )/) : []));
}

const said = (text: string, more: Item = {}): Item => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text }],
  ...more,
});
const called = (callId: string, name: string, given: string, more: Item = {}): Item => ({
  type: "function_call",
  callId,
  name,
  arguments: given,
  status: "completed",
  ...more,
});

/** An answer like those of the vendor's API: ids and provider data everywhere, encrypted thoughts, a search by the vendor. */
export const RICH: readonly Answer[] = [
  [
    {
      type: "reasoning",
      id: "rs_1",
      content: [{ type: "input_text", text: "First the weather." }],
      providerData: { encrypted_content: "b3BhcXVl" },
    },
    {
      type: "hosted_tool_call",
      id: "ws_1",
      name: "web_search_call",
      status: "completed",
      providerData: { action: { type: "search", query: "Oslo" } },
    },
    said("Let me look.", { id: "msg_1", providerData: { phase: null } }),
    called("call-1", "weather", '{"city":"Oslo"}', { id: "fc_1", providerData: {} }),
    called("call-2", "clock", '{"zone":"CET"}', { id: "fc_2" }),
  ],
  [said("It rains in Oslo at noon.", { id: "msg_2" })],
];

/** Two calls at once, then the answer. Our messages have a field for all of it. */
export const PLAIN: readonly Answer[] = [
  [said("Let me look."), called("call-1", "weather", '{"city":"Oslo"}'), called("call-2", "clock", '{"zone":"CET"}')],
  [said("It rains in Oslo at noon.")],
];

export const HANDOFF: readonly Answer[] = [
  [called("call-1", "transfer_to_clerk", "{}")],
  [said("It rains in Oslo at noon.")],
];
