// Failures across the border. What a model of the SDK rejects with becomes one of our closed codes; where it goes back to the SDK,
// the SDK gets its own object again, so that its retries and the caller's `isInstance` work as without us.

import { AgentError, kindForStatus, LlmProviderHttpError, quoteForeign } from "../../../core/index.js";
import { toLoose } from "./spec.js";

/** What the SDK threw, by the error it became. Kept apart, since it holds the whole request. */
const originals = new WeakMap<AgentError, object>();

/** `thrown` as an error of ours; one of ours stays as it is. */
export function toAgentError(
  thrown: unknown,
  name: string,
  state: { signal?: AbortSignal; hasStarted: boolean },
): unknown {
  if (thrown instanceof AgentError) return thrown;
  const error = state.signal?.aborted === true ? abortedBy(state.signal, name) : judge(thrown, name, state.hasStarted);
  if (typeof thrown === "object" && thrown !== null) originals.set(error, thrown);
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
  const { statusCode, isRetryable, message } = toLoose(thrown);
  const said = quoteForeign(typeof message === "string" ? message : String(thrown));
  const status = typeof statusCode === "number" ? statusCode : undefined;
  return new AgentError(
    status === undefined ? "provider-response" : "provider-http",
    status === undefined ? `${name} failed: ${said}` : `${name} answered HTTP ${status}: ${said}`,
    {
      kind: status === undefined ? "unknown" : kindForStatus(status),
      retryable: isRetryable === true,
      responseStarted,
      hint: "The AI SDK's own error is what generateText and streamText give.",
    },
  );
}

/**
 * What the SDK is given for `error`: its own object where it was its own, the signal's reason for an abort, and else the error.
 * A failure of a provider of ours that may pass carries the marks by which the SDK knows what it may retry.
 */
export function toSdkError(error: unknown): unknown {
  if (!(error instanceof AgentError)) return error;
  const original = originals.get(error);
  if (original !== undefined) return original;
  if (error.code === "aborted" && error.cause !== undefined) return error.cause;
  if (!error.retryable) return error;
  return Object.assign(new Error(error.message, { cause: error }), {
    name: "AI_APICallError",
    url: "",
    requestBodyValues: {},
    isRetryable: true,
    ...httpFields(error),
    [Symbol.for("vercel.ai.error")]: true,
    [Symbol.for("vercel.ai.error.AI_APICallError")]: true,
  });
}

function httpFields(error: AgentError): object {
  if (!(error instanceof LlmProviderHttpError)) return {};
  const { status, retryAfterMs } = error;
  const waits = retryAfterMs === undefined ? {} : { responseHeaders: { "retry-after-ms": String(retryAfterMs) } };
  return { statusCode: status, ...waits };
}
