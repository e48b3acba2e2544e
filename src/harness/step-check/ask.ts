// One turn of the model that is checked: asked with the retries of a fallback chain, so that what passes is tried again and
// what does not pass is a reason, with keys masked.

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

/** Calls for one turn where the vendor says that the failure may pass. */
export const MAX_ATTEMPTS = 3;
const BACKOFF = { kind: "exponential", baseMs: 1_000, maxMs: 20_000 } as const;
/** Characters of a reason that are kept. */
const MAX_REASON = 300;
/** Failures that every further call would have too. */
const LASTING: readonly LlmErrorKind[] = ["auth", "permission", "not-found"];

/** An answer, or why there is none. `lasting`: asking anything else of this model is useless. */
export type Asked =
  { kind: "answered"; response: LlmTurnResponse } | { kind: "failed"; reason: string; lasting: boolean };

/** Never throws. `ports` are what retries wait by. */
export async function askStep(
  provider: LlmProviderAdapter,
  request: LlmTurnRequest,
  ports: Partial<Ports> | undefined,
): Promise<Asked> {
  // A chain of its own for each turn: it remembers cooldowns and thoughts, which have no place between separate questions.
  const chain = fallbackProvider([{ provider, maxAttempts: MAX_ATTEMPTS, backoff: BACKOFF }], defined({ ports }));
  try {
    const response = copyJson(await chain.turn(request));
    const flaw = findResponseFlaw(response);
    if (flaw === undefined) return { kind: "answered", response };
    const reason = `${chain.name ?? "the provider"} gave no answer: ${flaw.pointer || "the whole"} is not ${flaw.expected}`;
    return { kind: "failed", reason, lasting: false };
  } catch (error) {
    const lasting = error instanceof AgentError && error.kind !== undefined && LASTING.includes(error.kind);
    return { kind: "failed", reason: shorten(thrownText(error), MAX_REASON), lasting };
  }
}
