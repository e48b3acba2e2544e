// Steps that the readers of several formats share: messages by role, fields left over, errors of tools, tokens used.

import { canonicalize, defined, type JsonObject, type JsonValue, type Usage } from "../../../core/index.js";
import type { LogMessage } from "../log-run.js";
import type { RepairLog } from "../repair.js";
import { isObject, toCount, toObject, toText } from "../foreign-json.js";

export interface ContentRules {
  repairs: RepairLog;
  /** True if a list of parts is native to the format, so that a list of one text is not a repair. */
  listIsNative: boolean;
}

export interface RoleReader {
  /** The fields that `read` uses and those that may be ignored. Any other field with a value is counted. */
  fields: readonly string[];
  /** Reads a message. Undefined if the message does not have this role after all. */
  read: (message: JsonObject, rules: ContentRules) => LogMessage | LogMessage[] | undefined;
}

/** Creates the reader for lists of messages in one format. A message with an unknown role is kept whole, as text. */
export function createMessageReader(
  listIsNative: boolean,
  roles: Readonly<Record<string, RoleReader>>,
): (list: readonly JsonValue[], repairs: RepairLog) => LogMessage[] {
  const known = new Map(
    Object.entries(roles).map(([role, { fields, read }]) => [role, { fields: new Set(fields), read }]),
  );
  return (list, repairs) =>
    list.flatMap((message) => {
      const role = isObject(message) ? known.get(toText(message["role"])) : undefined;
      const read = role?.read(toObject(message), { repairs, listIsNative });
      if (role === undefined || read === undefined) return keepUnknown(message, repairs);
      countDropped(toObject(message), role.fields, repairs);
      return read;
    });
}

export function keepUnknown(message: JsonValue, repairs: RepairLog): LogMessage {
  repairs.add("role-unknown");
  return { role: "user", content: canonicalize(message) };
}

/** Counts the fields that hold something and are not in `known`. */
export function countDropped(message: JsonObject, known: ReadonlySet<string>, repairs: RepairLog): void {
  for (const [name, value] of Object.entries(message)) if (!known.has(name)) countValue(value, repairs);
}

/** Counts a value that is left out, unless it is empty. */
export function countValue(value: JsonValue | undefined, repairs: RepairLog): void {
  const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
  if (value !== undefined && !isEmpty) repairs.add("field-dropped");
}

/** Joins a tool's result and its error. The error is the whole result if there is no other, or else follows on its own line. */
export function joinToolError(content: string, error: string, repairs: RepairLog): string {
  if (error === "" || error === content) return content;
  if (content === "") return error;
  repairs.add("tool-error-joined");
  return `${content}\n${error}`;
}

/** Tokens of one answer as OpenAI, Anthropic or Inspect report them; undefined when either count is missing. */
export function toUsage(value: JsonValue | undefined): Usage | undefined {
  const usage = toObject(value);
  const fresh = toCount(usage["prompt_tokens"] ?? usage["input_tokens"]);
  const outputTokens = toCount(usage["completion_tokens"] ?? usage["output_tokens"]);
  if (fresh === undefined || outputTokens === undefined) return undefined;
  // Anthropic and Inspect count cached tokens apart from `input_tokens`, OpenAI inside `prompt_tokens`.
  const written = toCount(usage["cache_creation_input_tokens"] ?? usage["input_tokens_cache_write"]);
  const apart = toCount(usage["cache_read_input_tokens"] ?? usage["input_tokens_cache_read"]);
  // Older Inspect logs count them inside, as the vendor did; the total shows it.
  const isInside = usage["total_tokens"] === fresh + outputTokens;
  const within = toCount(toObject(usage["prompt_tokens_details"])["cached_tokens"]);
  const reasoning = toCount(toObject(usage["completion_tokens_details"])["reasoning_tokens"]);
  return {
    inputTokens: isInside ? fresh : fresh + (written ?? 0) + (apart ?? 0),
    outputTokens,
    ...defined({
      cacheReadTokens: apart ?? within,
      cacheWriteTokens: written,
      reasoningTokens: reasoning ?? toCount(usage["reasoning_tokens"]),
    }),
  };
}
