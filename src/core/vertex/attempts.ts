// The attempts behind each answer. A live chain reports its own attempts. For an answer without a live chain, such as one from a cassette,
// the recorded steps are reported in the same order.

import { AgentError } from "../errors.js";
import { providerName, type LlmProviderAdapter, type LlmStreamEvent, type LlmTurnResponse } from "../model/provider.js";
import { answerAhead } from "../model/stream.js";
import type { FallbackAttempt, FallbackStart } from "../providers/fallback/failure.js";
import { stepsOf, type AnswerStep } from "../providers/fallback/told.js";
import { defined } from "../defined.js";

/** Receives the attempts of a chain: the `onAttempt` and `onAttemptStart` of its options. */
export interface Heard {
  readonly tell: (fact: FallbackStart | FallbackAttempt) => void;
  /** The number of facts that a chain has reported so far. */
  walked(): number;
  /** The model that answered last. */
  model(): string | undefined;
}

/** Counts the facts that a chain reports through `hear`, and passes all facts on. */
export function createHeard(pass: Heard["tell"]): Heard & { readonly hear: Heard["tell"] } {
  let walked = 0;
  let model: string | undefined;
  const tell: Heard["tell"] = (fact) => {
    if (fact.outcome === "answered") ({ model } = fact);
    pass(fact);
  };
  return {
    tell,
    hear(fact) {
      walked++;
      tell(fact);
    },
    walked: () => walked,
    model: () => model,
  };
}

/**
 * `provider` with attempts for `heard`, if no chain reports them. The text of an answer without text deltas becomes one delta, so that
 * consumers need not know how an answer was streamed. `model` is that of the first choice.
 */
export function withAttempts(provider: LlmProviderAdapter, heard: Heard, model: string): LlmProviderAdapter {
  async function* stream(request: Parameters<LlmProviderAdapter["turn"]>[0]): AsyncGenerator<LlmStreamEvent> {
    const before = heard.walked();
    const teller = createTeller(heard, { provider: providerName(provider), model });
    let isSpoken = false;
    for await (const event of events(provider, request)) {
      const isWalked = heard.walked() > before;
      if (!isWalked) teller.begin(answerAhead(event));
      if (event.type === "text-delta") isSpoken ||= event.text !== "";
      if (event.type === "response") {
        const text: unknown = event.response?.message?.content;
        if (!isWalked) teller.end(event.response);
        if (!isSpoken && typeof text === "string" && text !== "") yield { type: "text-delta", text };
      }
      yield event;
    }
  }
  return {
    name: providerName(provider),
    stream,
    async turn(request) {
      for await (const event of stream(request)) if (event.type === "response") return event.response;
      throw new AgentError("provider-response", `${providerName(provider)} ended its stream without a response`);
    },
  };
}

async function* events(
  provider: LlmProviderAdapter,
  request: Parameters<LlmProviderAdapter["turn"]>[0],
): AsyncGenerator<LlmStreamEvent> {
  if (provider.stream === undefined) yield { type: "response", response: await provider.turn(request) };
  else yield* provider.stream(request);
}

/** Reports the steps of one answer: all except the end before its first event, and the end with the response. */
function createTeller(heard: Heard, planned: { provider: string; model: string }) {
  let current: { entry: number; provider: string; model: string; attemptNumber: number } | undefined;

  function begin(response: LlmTurnResponse | undefined): void {
    if (current !== undefined) return;
    const steps = (response && stepsOf(response)) ?? [{ outcome: "answered", ...planned } satisfies AnswerStep];
    let attemptNumber = 0;
    for (const [entry, { outcome, provider, model }] of steps.entries()) {
      if (outcome === "skipped") {
        heard.tell({ outcome, entry, provider, model, reason: "cooldown", remainingMs: 0 });
        continue;
      }
      current = { entry, provider, model, attemptNumber: ++attemptNumber };
      heard.tell({ outcome: "started", ...current });
      if (outcome === "failed") heard.tell({ outcome, ...current, error: undefined });
    }
  }

  return {
    begin,
    end({ model, usage, costUsd }: LlmTurnResponse): void {
      if (current !== undefined) heard.tell({ outcome: "answered", ...current, ...defined({ model, usage, costUsd }) });
    },
  };
}
