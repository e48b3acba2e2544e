// What a fallback chain did for one turn, and how it ended when nobody answered.

import { AgentError, type LlmErrorKind, LlmProviderHttpError } from "../../errors.js";
import type { Usage } from "../../model/usage.js";
import { isThrown, thrownText } from "../../text/thrown.js";
import { quoteForeign } from "../../text/mask.js";
import { shorten } from "../../text/shorten.js";

/** What was asked, in every outcome. */
export interface Tried {
  /** Place of the entry in the chain, from 0. */
  readonly entry: number;
  readonly provider: string;
  /** The model that answered, in the vendor's words; before an answer the one that was asked for. */
  readonly model: string;
}

/** One step of a chain. Attempts are numbered from 1 within a turn; a skipped entry is none, and has neither number nor cost. */
export type FallbackAttempt =
  | (Tried & {
      readonly outcome: "answered";
      readonly attemptNumber: number;
      readonly usage?: Usage;
      readonly costUsd?: number;
    })
  | (Tried & { readonly outcome: "failed"; readonly attemptNumber: number; readonly error: unknown })
  | (Tried & { readonly outcome: "skipped"; readonly reason: "cooldown"; readonly remainingMs: number });

/** An attempt as it begins. What is streamed until the next one begins is its. */
export type FallbackStart = Tried & { readonly outcome: "started"; readonly attemptNumber: number };

/** What an error of a provider means to the chain. */
export interface Failure {
  kind: LlmErrorKind;
  retryable: boolean;
  retryAfterMs: number | undefined;
  /** True for what no provider is to blame for: an abort, options that can never work, a script that ran out. */
  final: boolean;
}

/** Judged by code and kind, never by words. What is no `AgentError` is a failure of its provider that will not pass. */
export function judgeFailure(error: unknown): Failure {
  if (!isThrown(error, AgentError)) {
    return { kind: "unknown", retryable: false, retryAfterMs: undefined, final: false };
  }
  const { kind = "unknown", retryable } = error;
  const isHttp = error instanceof LlmProviderHttpError || error instanceof ProvidersExhaustedError;
  const retryAfterMs = isHttp ? error.retryAfterMs : undefined;
  return { kind, retryable, retryAfterMs, final: !isProviderFault(error) };
}

function isProviderFault({ code }: AgentError): boolean {
  switch (code) {
    case "provider-http":
    case "provider-response":
    case "providers-exhausted":
    case "timeout":
      return true;
    case "not-json":
    case "invalid-options":
    case "tool-arguments":
    case "tool-denied":
    case "tool-failed":
    case "handoff-failed":
    case "memory-failed":
    case "capability-missing":
    case "aborted":
    case "receipt-failed":
    case "script-exhausted":
    case "script-unused":
      return false;
  }
}

/**
 * Thrown when no entry answered. `retryable` when any failure was or any entry is cooling down; `kind` is that of the last such
 * failure, else of the last one.
 */
export class ProvidersExhaustedError extends AgentError {
  declare readonly kind: LlmErrorKind;
  /** All steps of the turn in their order, each failure with its error. */
  readonly attempts: readonly FallbackAttempt[];
  /** When the first provider that is cooling down may be asked again. */
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

/** The last steps say what is wrong now; of a long walk they alone are told. */
const MAX_TOLD = 12;
/** The most characters that the message gives to the words of one failure. */
const MAX_WORDS = 200;

function describeAll(attempts: readonly FallbackAttempt[]): string {
  const left = attempts.length - MAX_TOLD;
  const told = attempts.slice(-MAX_TOLD).map(describe).join("; ");
  return left > 0 ? `(${left} earlier) ${told}` : told;
}

/** What a failure said, masked and on one line. The words of a vendor are masked by its adapter, which knows the key. */
function wordsOf(error: unknown, provider: string): string {
  const said = quoteForeign(wordsBy(error));
  const words = said.startsWith(`${provider} `) ? said.slice(provider.length + 1) : said;
  return shorten(words, MAX_WORDS);
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
