// Failures on their way to the SDK: it gets its own object again where it threw one, so that its retries and the caller's
// `isInstance` work as without us.

import { AgentError, LlmProviderHttpError } from "../../../core/index.js";
import { originalOf } from "../foreign-error.js";

/**
 * What the SDK is given for `error`: its own object where it was its own, the signal's reason for an abort, and else the error.
 * A failure of a provider of ours that may pass carries the marks by which the SDK knows what it may retry.
 */
export function toSdkError(error: unknown): unknown {
  if (!(error instanceof AgentError)) return error;
  const original = originalOf(error);
  if (original !== undefined) return original.thrown;
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
