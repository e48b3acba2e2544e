// The host's gates: one before each turn, one before each attempt of a chain. Both receive the same estimate of the prompt.

import { AgentError } from "../../errors.js";
import type { Boundary } from "../../loop/boundary.js";
import { createPromptEstimate, estimateText } from "../../loop/estimate.js";
import type { LlmToolDefinition, LlmTurnResponse } from "../../model/provider.js";
import type { LlmMessage } from "../../model/message.js";
import type { FallbackOptions } from "../../providers/fallback.js";
import { showValue } from "../../text/show.js";
import type { Maybe } from "../../time/wait.js";
import { hostCall } from "./host-call.js";

/** A turn that is about to be sent. `turn` counts from 0. */
export interface Egress {
  readonly nodeId: string;
  readonly model: string;
  readonly turn: number;
  /** Estimated tokens of the prompt, from its length and the counts of earlier turns. 0 for a generative call. */
  readonly estimatedTokens: number;
}

/** An attempt of a chain that is about to be sent. `attemptNumber` counts from 1 within a turn. */
export interface AttemptEgress extends Egress {
  readonly providerId: string;
  readonly attemptNumber: number;
}

/** A host's decision. A refusal ends the vertex with `turn_limit` and the reason as its message. */
export type EgressVerdict = { readonly kind: "pass" } | { readonly kind: "refuse"; readonly reason: string };

export type PreEgress = (egress: Egress) => Maybe<EgressVerdict | undefined>;
export type PreAttempt = (egress: AttemptEgress) => Maybe<EgressVerdict | undefined>;

/** The reason of a refusal, or undefined for a pass. An error of the host becomes `capability-missing`. */
export async function askHost(name: string, ask: () => Maybe<EgressVerdict | undefined>): Promise<string | undefined> {
  const verdict: unknown = await hostCall(name, ask);
  if (verdict === undefined) return undefined;
  const { kind, reason } = (verdict ?? {}) as Partial<Record<string, unknown>>;
  if (kind === "pass") return undefined;
  if (kind === "refuse" && typeof reason === "string") return reason;
  throw new AgentError("capability-missing", `${name} of the host returned ${showValue(verdict)}`, {
    hint: 'Return { kind: "pass" } or { kind: "refuse", reason }.',
  });
}

/** The gates of one execution. */
export interface Gates {
  /** Present if the host has one of the gates. */
  readonly boundary?: Boundary;
  readonly beforeAttempt?: NonNullable<FallbackOptions["beforeAttempt"]>;
  /** Updates the estimate with the answer to a conversation of `messages` messages. */
  readonly learn: (response: LlmTurnResponse, messages: number) => void;
}

export function createGates(
  { nodeId, model, providerIds }: { nodeId: string; model: string; providerIds: readonly string[] },
  { preEgress, preAttempt }: { preEgress?: PreEgress | undefined; preAttempt?: PreAttempt | undefined },
): Gates {
  if (preEgress === undefined && preAttempt === undefined) return { learn: () => undefined };
  const estimate = createPromptEstimate();
  const tokensOf = (messages: readonly LlmMessage[], tools: readonly LlmToolDefinition[]) =>
    estimate.tokens(messages, tools) ?? estimateText(messages, 0, tools);
  let egress: Egress = { nodeId, model, turn: 0, estimatedTokens: 0 };

  const boundary: Boundary = (place) => {
    if (place.at !== "begin") return undefined;
    const { loop, turnIndex: turn } = place;
    egress = { nodeId, model, turn, estimatedTokens: tokensOf(loop.history, loop.tools.definitions) };
    if (preEgress === undefined) return undefined;
    return askHost("preEgress", () => preEgress(egress)).then((reason) =>
      reason === undefined ? undefined : { kind: "stop", reason },
    );
  };
  return {
    boundary,
    learn: (response, messages) => estimate.learn(response, messages),
    ...(preAttempt === undefined
      ? {}
      : {
          async beforeAttempt({ entry, model: asked, attemptNumber }) {
            const providerId = providerIds[entry] as string;
            const attempt = { ...egress, model: asked, providerId, attemptNumber };
            const refuse = await askHost("preAttempt", () => preAttempt(attempt));
            return refuse === undefined ? undefined : { refuse };
          },
        }),
  };
}
