// What a model of another framework throws, as one of our closed codes; and the object itself again, for the way back to it.

import {
  AgentError,
  defined,
  isRetryableStatus,
  kindForStatus,
  quoteForeign,
  type LlmTurnRequest,
} from "../../core/index.js";
import { toLoose } from "./loose.js";

/** What was thrown, by the error it became. Kept apart, since it may hold a whole request. */
const originals = new WeakMap<AgentError, { readonly thrown: unknown }>();

/** What `toAgentError` has to know of a call. */
export interface CallState {
  readonly signal?: AbortSignal;
  hasStarted: boolean;
}

/** A call that also ends at its own `timeoutMs`, which models of other frameworks know nothing of. */
export function beginCall(given: LlmTurnRequest): { request: LlmTurnRequest; state: CallState } {
  const { signal: own, timeoutMs } = given;
  if (timeoutMs === undefined) {
    return { request: given, state: { ...defined({ signal: own }), hasStarted: false } };
  }
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = own === undefined ? limit : AbortSignal.any([own, limit]);
  return { request: { ...given, signal }, state: { signal, hasStarted: false } };
}

/** `thrown` as an error of ours; one of ours stays as it is. */
export function toAgentError(thrown: unknown, name: string, state: CallState): unknown {
  if (thrown instanceof AgentError) return thrown;
  const error = state.signal?.aborted === true ? abortedBy(state.signal, name) : judge(thrown, name, state.hasStarted);
  originals.set(error, { thrown });
  return error;
}

function abortedBy(signal: AbortSignal, name: string): AgentError {
  const reason: unknown = signal.reason;
  if (toLoose(reason)["name"] !== "TimeoutError") {
    return new AgentError("aborted", `the call to ${name} was aborted`, { cause: reason });
  }
  return new AgentError("timeout", `${name} gave no whole answer in time`, {
    kind: "timeout",
    retryable: true,
    hint: "Retry, or raise timeoutMs.",
  });
}

function judge(thrown: unknown, name: string, responseStarted: boolean): AgentError {
  const { statusCode, status: plainStatus, isRetryable, message } = toLoose(thrown);
  const said = quoteForeign(typeof message === "string" ? message : String(thrown));
  const status = [statusCode, plainStatus].find((value) => typeof value === "number");
  return new AgentError(
    status === undefined ? "provider-response" : "provider-http",
    status === undefined ? `${name} failed: ${said}` : `${name} answered HTTP ${status}: ${said}`,
    {
      kind: status === undefined ? "unknown" : kindForStatus(status),
      retryable: typeof isRetryable === "boolean" ? isRetryable : status !== undefined && isRetryableStatus(status),
      responseStarted,
      hint: "The framework that asked is given its own error.",
    },
  );
}

/** What was thrown where `error` was made of it. */
export function originalOf(error: AgentError): { readonly thrown: unknown } | undefined {
  return originals.get(error);
}
