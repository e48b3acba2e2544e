// Our failures as the AI SDK knows them, so that its retries and the caller's `isInstance` work.

import { AgentError, LlmProviderHttpError } from "../../../core/index.js";
import { toFrameworkError } from "../foreign-model.js";

/** As `toFrameworkError`; a retryable failure of one of our providers gets the marks by which the SDK recognises one. */
export function toSdkError(error: unknown): unknown {
  const known = toFrameworkError(error);
  if (known !== error || !(error instanceof AgentError) || !error.retryable) return known;
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
