// Asks the checked model for one turn, with the retries of a fallback chain. A failure becomes a reason with keys masked.

import {
  AgentError,
  copyJson,
  defined,
  fallbackProvider,
  findResponseFlaw,
  shorten,
  thrownText,
  type LlmErrorKind,
  type LlmProviderAdapter,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Ports,
} from "../../core/index.js";
import { MAX_STEP_ATTEMPTS, MAX_STEP_REASON_CHARACTERS } from "../limits.js";

const BACKOFF = { kind: "exponential", baseMs: 1_000, maxMs: 20_000 } as const;
/** Failures that every further call would repeat. */
const LASTING: readonly LlmErrorKind[] = ["auth", "permission", "not-found"];

/** An answer, or the reason for its absence. `lasting`: further calls of this model are useless. */
type Asked = { kind: "answered"; response: LlmTurnResponse } | { kind: "failed"; reason: string; lasting: boolean };

/** Asks for one turn and never throws. Retries wait by `ports`. */
export async function askStep(
  provider: LlmProviderAdapter,
  request: LlmTurnRequest,
  ports: Partial<Ports> | undefined,
): Promise<Asked> {
  // One chain per turn: its memory of cooldowns and reasoning must not connect separate questions.
  const chain = fallbackProvider([{ provider, maxAttempts: MAX_STEP_ATTEMPTS, backoff: BACKOFF }], defined({ ports }));
  try {
    const response = copyJson(await chain.turn(request));
    const flaw = findResponseFlaw(response);
    if (flaw === undefined) return { kind: "answered", response };
    const reason = `${chain.name ?? "the provider"} gave an invalid answer: ${flaw.pointer || "it"} is not ${flaw.expected}`;
    return { kind: "failed", reason, lasting: false };
  } catch (error) {
    const lasting = error instanceof AgentError && error.kind !== undefined && LASTING.includes(error.kind);
    return { kind: "failed", reason: shorten(thrownText(error), MAX_STEP_REASON_CHARACTERS), lasting };
  }
}
