// A response object of the Responses API as a turn response. Specification: OpenAI API reference, "The response object".

import { defined } from "../../defined.js";
import { isPlainObject } from "../../canon/value.js";
import { AgentError } from "../../errors.js";
import type { LlmTurnResponse, StopReason } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import { toToolCalls } from "../../providers/calls.js";
import { withAnswerFields } from "../../wire/answer-fields.js";
import { withMessageFields } from "../../wire/fields.js";
import {
  plainDecoding,
  refuseBody,
  refuseErrorBody,
  toCount,
  toList,
  toObject,
  toResponse,
  toText,
  type Decoding,
  type WireObject,
} from "../../http/json-readers.js";
import { readItems, readTexts } from "./items.js";

/**
 * Decodes an answer of OpenAI's Responses API. Throws `AgentError` `provider-response` for a body that is an error, that has no output, or
 * that is not finished, such as one in the background.
 */
export function decodeResponses(json: unknown, decoding: Decoding = plainDecoding): LlmTurnResponse {
  const body = toObject(json);
  refuseErrorBody(body["error"], decoding);
  if (!Array.isArray(body["output"])) refuseBody("has no output", decoding);
  const status = toText(body["status"]);
  if (UNFINISHED.includes(status)) refuseUnfinished(status, decoding);

  const items = toList(body["output"]).filter(isPlainObject);
  const { content, calls, reasoning, hasRefusal, layout } = readItems(items);
  const response = toResponse({
    content,
    toolCalls: toToolCalls(calls),
    reasoning,
    stopReason: hasRefusal ? "contentFilter" : readStop(body, decoding),
    isRefusal: hasRefusal,
    usage: readUsage(toObject(body["usage"])),
    model: toText(body["model"]),
  });
  const message = withMessageFields(response.message, "responses", layout === undefined ? {} : { layout });
  const { service_tier, content_filters } = body;
  const own = { texts: readTexts(items), service_tier, content_filters };
  return withAnswerFields({ ...response, message }, "responses", own, decoding);
}

const UNFINISHED = ["queued", "in_progress", "cancelled", "failed"];

function refuseUnfinished(status: string, { providerName }: Decoding): never {
  const isOver = status === "cancelled" || status === "failed";
  throw new AgentError(
    "provider-response",
    `the answer of ${providerName} is not finished: its status is "${status}"`,
    {
      kind: isOver ? "unavailable" : "unknown",
      retryable: isOver,
      hint: isOver
        ? "Retry."
        : "Send the request without `background`. Stream the answer if it takes longer than a connection stays open.",
    },
  );
}

/** Reasons why an answer is incomplete. */
const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  "": "stop",
  max_output_tokens: "length",
  max_tokens: "length",
  content_filter: "contentFilter",
};

function readStop(body: WireObject, decoding: Decoding): StopReason {
  const reason = toText(toObject(body["incomplete_details"])["reason"]);
  const isIncomplete = body["status"] === "incomplete";
  if (reason === "") return isIncomplete ? "length" : "stop";
  const stopReason = Object.hasOwn(STOP_REASONS, reason) ? STOP_REASONS[reason] : undefined;
  if (stopReason === undefined) decoding.note(`the reason "${reason}" for an incomplete answer`);
  return stopReason ?? "length";
}

function readUsage(usage: WireObject): Usage | undefined {
  const inputTokens = toCount(usage["input_tokens"]);
  const outputTokens = toCount(usage["output_tokens"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const input = toObject(usage["input_tokens_details"]);
  const cacheReadTokens = toCount(input["cached_tokens"]);
  const cacheWriteTokens = toCount(input["cache_write_tokens"]);
  const reasoningTokens = toCount(toObject(usage["output_tokens_details"])["reasoning_tokens"]);
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...defined({ cacheReadTokens, cacheWriteTokens, reasoningTokens }),
  };
}
