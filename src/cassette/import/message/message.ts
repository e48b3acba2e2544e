// Steps that the readers of several formats share: a message of no known role, fields left over, tokens used.

import { canonicalize, defined, type JsonObject, type JsonValue, type Usage } from "../../../core/index.js";
import type { LogMessage } from "../log.js";
import type { RepairLog } from "../repair.js";
import { isObject } from "../value.js";

/** A message whose role we do not know, whole, as the text of a user message. */
export function keepUnknown(message: JsonValue, repairs: RepairLog): LogMessage {
  repairs.add("role-unknown");
  return { role: "user", content: canonicalize(message) };
}

/** Counts the fields of a message that nobody reads and that hold something. */
export function countDropped(message: JsonObject, known: ReadonlySet<string>, repairs: RepairLog): void {
  for (const [name, value] of Object.entries(message)) {
    const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    if (!isEmpty && !known.has(name)) repairs.add("field-dropped");
  }
}

/** A tool's error is its result where there is no other; where there is, it follows on a line of its own. */
export function joinToolError(content: string, error: string, repairs: RepairLog): string {
  if (error === "" || error === content) return content;
  if (content === "") return error;
  repairs.add("tool-error-joined");
  return `${content}\n${error}`;
}

/** A price in USD as a log has it; undefined for anything that is none. */
export function toCost(value: JsonValue | undefined): number | undefined {
  return toCount(value);
}

/** Tokens of one answer as OpenAI, Anthropic or Inspect report them; undefined when either count is missing. */
export function toUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const fresh = toCount(value["prompt_tokens"] ?? value["input_tokens"]);
  const outputTokens = toCount(value["completion_tokens"] ?? value["output_tokens"]);
  if (fresh === undefined || outputTokens === undefined) return undefined;
  // Anthropic and Inspect count cached tokens beside `input_tokens`, OpenAI inside `prompt_tokens`.
  const written = toCount(value["cache_creation_input_tokens"] ?? value["input_tokens_cache_write"]);
  const beside = toCount(value["cache_read_input_tokens"] ?? value["input_tokens_cache_read"]);
  // Older Inspect logs count them inside, as the vendor did; the total tells.
  const isInside = value["total_tokens"] === fresh + outputTokens;
  const within = toDetail(value["prompt_tokens_details"], "cached_tokens");
  const reasoning =
    toDetail(value["completion_tokens_details"], "reasoning_tokens") ?? toCount(value["reasoning_tokens"]);
  const read = beside ?? within;
  return {
    inputTokens: isInside ? fresh : fresh + (written ?? 0) + (beside ?? 0),
    outputTokens,
    ...defined({ cacheReadTokens: read, cacheWriteTokens: written, reasoningTokens: reasoning }),
  };
}

function toDetail(details: JsonValue | undefined, name: string): number | undefined {
  return isObject(details) ? toCount(details[name]) : undefined;
}

/** A count, or undefined where there is none. */
export function toCount(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
