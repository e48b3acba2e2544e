// A small recording to be checked: two lookups and an answer, with tools and settings, and models that answer by the prompt.

import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import type { LlmMessage, LlmProviderAdapter, LlmTurnRequest, LlmTurnResponse } from "../../../src/core/index.js";
import { fixedPorts } from "../../support/recording.js";
import { ask, say } from "../../support/script.js";

export const TOOLS = ["search", "read", "send"].map((name) => ({
  name,
  description: `Does ${name}.`,
  schema: { type: "object" },
}));

/** What the recorded model did, turn by turn. */
export const RECORDED: readonly LlmTurnResponse[] = [
  ask([
    { name: "search", arguments: { q: "rain" } },
    { name: "read", arguments: { page: 1 } },
  ]),
  ask([{ name: "send", arguments: { to: "ann", text: "rain" } }]),
  say("Sent."),
];

/** The prompt of every turn: the goal, and then what was called and came back. */
export function promptsOf(goal: string, turns: readonly LlmTurnResponse[] = RECORDED): LlmMessage[][] {
  let prompt: LlmMessage[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: goal },
  ];
  return turns.map(({ message }) => {
    const asked = prompt;
    const results = (message.toolCalls ?? []).map(({ id, name }): LlmMessage => ({
      role: "tool",
      toolCallId: id,
      name,
      content: `${name} done`,
    }));
    prompt = [...prompt, message, ...results];
    return asked;
  });
}

export interface Recorded {
  goal?: string;
  turns?: readonly LlmTurnResponse[];
  /** False keeps hashes alone. */
  prompts?: boolean;
}

/** The cassette of it. */
export async function recorded({
  goal = "Rain?",
  turns = RECORDED,
  prompts = true,
}: Recorded = {}): Promise<CassetteV2> {
  const script = [...turns];
  const provider = { name: "old", turn: () => Promise.resolve(script.shift() as LlmTurnResponse) };
  const recorder = recordingProvider(provider, { ports: fixedPorts(), prompts });
  const requests = promptsOf(goal, turns);
  for (const messages of requests) await recorder.turn({ messages, tools: TOOLS, settings: { temperature: 0 } });
  return recorder.toCassette();
}

export interface Watched extends LlmProviderAdapter {
  readonly asked: LlmTurnRequest[];
}

/** A model that answers by the number of the recorded turn, which the length of the prompt tells. */
export function model(
  answer: (turn: number, request: LlmTurnRequest) => LlmTurnResponse | Promise<LlmTurnResponse>,
  name = "new",
): Watched {
  const asked: LlmTurnRequest[] = [];
  return {
    name,
    asked,
    async turn(request) {
      asked.push(request);
      const turn = request.messages.filter(({ role }) => role === "assistant").length;
      return answer(turn, request);
    },
  };
}
