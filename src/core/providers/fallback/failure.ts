// The attempts of a fallback chain in one turn, and the error if none succeeded.

import { AgentError, type AgentErrorCode, type LlmErrorKind, LlmProviderHttpError } from "../../errors.js";
import type { Usage } from "../../model/usage.js";
import { isThrown, thrownText } from "../../text/thrown.js";
import { quoteForeign } from "../../text/mask.js";
import { shorten } from "../../text/show.js";

export interface Tried {
  /** The place of the entry in the chain, from 0. */
  readonly entry: number;
  readonly provider: string;
  /** The model that answered, in the vendor's words, else the requested one. */
  readonly model: string;
}

/** One step of a chain. Attempts are numbered from 1 within a turn. A skipped entry is not an attempt and has no number. */
export type FallbackAttempt =
  | (Tried & {
      readonly outcome: "answered";
      readonly attemptNumber: number;
      readonly usage?: Usage;
      readonly costUsd?: number;
    })
  | (Tried & { readonly outcome: "failed"; readonly attemptNumber: number; readonly error: unknown })
  | (Tried & { readonly outcome: "skipped"; readonly reason: "cooldown"; readonly remainingMs: number });

/** An attempt as it begins. Deltas until the next one belong to it. */
export type FallbackStart = Tried & { readonly outcome: "started"; readonly attemptNumber: number };

export interface Failure {
  kind: LlmErrorKind;
  retryable: boolean;
  retryAfterMs: number | undefined;
  /** True for errors that are not a provider's fault: an abort, options that can never work, a script that ran out. */
  final: boolean;
}

/** Judges an error by its code and kind, never by its words. Any other value thrown is a lasting failure of its provider. */
export function judgeFailure(error: unknown): Failure {
  if (!isThrown(error, AgentError)) {
    return { kind: "unknown", retryable: false, retryAfterMs: undefined, final: false };
  }
  const { kind = "unknown", retryable } = error;
  const isHttp = error instanceof LlmProviderHttpError || error instanceof ProvidersExhaustedError;
  const retryAfterMs = isHttp ? error.retryAfterMs : undefined;
  return { kind, retryable, retryAfterMs, final: !PROVIDER_FAULTS.includes(error.code) };
}

const PROVIDER_FAULTS: readonly AgentErrorCode[] = [
  "provider-http",
  "provider-response",
  "providers-exhausted",
  "timeout",
];

/**
 * Thrown if no entry of a fallback chain answered. It is `retryable` if any failure was retryable or any entry is cooling down. `kind` is
 * that of the last retryable failure, or else of the last failure.
 */
export class ProvidersExhaustedError extends AgentError {
  declare readonly kind: LlmErrorKind;
  /** All steps of the turn in order, each failure with its error. */
  readonly attempts: readonly FallbackAttempt[];
  /** The time until the first cooldown ends. */
  readonly retryAfterMs: number | undefined;

  constructor(
    chainName: string,
    attempts: readonly FallbackAttempt[],
    verdict: { kind: LlmErrorKind; retryable: boolean; retryAfterMs: number | undefined },
  ) {
    const { kind, retryable, retryAfterMs } = verdict;
    const last = attempts.findLast((attempt) => attempt.outcome === "failed");
    super("providers-exhausted", `no provider of ${chainName} answered: ${describeAll(attempts)}`, {
      kind,
      retryable,
      hint: retryable ? "Retry later, or add an entry to the chain." : "See `attempts` for the error of each provider.",
      cause: last?.error,
    });
    this.name = "ProvidersExhaustedError";
    this.attempts = attempts;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The message describes only the last steps, which say what is wrong now. */
const SHOWN_STEPS = 12;
const SHOWN_CHARACTERS = 200;

function describeAll(attempts: readonly FallbackAttempt[]): string {
  const left = attempts.length - SHOWN_STEPS;
  const described = attempts.slice(-SHOWN_STEPS).map(describe).join("; ");
  return left > 0 ? `(${left} earlier) ${described}` : described;
}

/** The words of a failure, masked and on one line. A vendor's words were masked by its provider, which knows the key. */
function wordsOf(error: unknown, provider: string): string {
  const said = quoteForeign(wordsBy(error));
  const words = said.startsWith(`${provider} `) ? said.slice(provider.length + 1) : said;
  return shorten(words, SHOWN_CHARACTERS);
}

function wordsBy(error: unknown): string {
  if (!isThrown(error, LlmProviderHttpError)) return thrownText(error);
  const words = error.vendor.message ?? error.bodySnippet;
  return `HTTP ${error.status}${words === "" ? "" : `: ${words}`}`;
}

function describe(attempt: FallbackAttempt): string {
  switch (attempt.outcome) {
    case "answered":
      return `${attempt.provider} answered`;
    case "failed":
      return `${attempt.provider} failed (${judgeFailure(attempt.error).kind}): ${wordsOf(attempt.error, attempt.provider)}`;
    case "skipped":
      return `${attempt.provider} is cooling down for ${attempt.remainingMs} ms`;
  }
}
