// Which of the formats we read is this record? Answered from its shape, one record at a time.

import type { JsonObject, JsonValue } from "../../core/index.js";
import { isObject } from "./value.js";

export type ImportFormat = "openai-messages" | "anthropic-messages" | "agentdojo" | "tau-bench";

/** The formats `parseImport` reads, for a help text. */
export const IMPORT_FORMATS: readonly ImportFormat[] = [
  "openai-messages",
  "anthropic-messages",
  "agentdojo",
  "tau-bench",
];

/** `saw` describes an unknown record in a few words. */
export type Detection = { kind: "known"; format: ImportFormat } | { kind: "unknown"; saw: string };

const ANTHROPIC_BLOCKS: ReadonlySet<unknown> = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking"]);

/** Recognises a record. A list of plain user and assistant messages, which both vendors write alike, counts as OpenAI's. */
export function detectFormat(record: JsonValue): Detection {
  if (Array.isArray(record)) return isMessageList(record) ? known(detectVendor({}, record)) : unknown(record);
  if (!isObject(record)) return unknown(record);
  const { format, messages, data } = record;
  if (Array.isArray(record["traj"]) && record["task_id"] !== undefined) return known("tau-bench");
  if (isAgentDojo(record) || (isObject(data) && isAgentDojo(data))) return known("agentdojo");
  if (!Array.isArray(messages)) return unknown(record);
  if (format === "openai-messages" || format === "anthropic-messages") return known(format);
  return known(detectVendor(record, messages));
}

/** True for a list of messages, as opposed to a list of records: one with a role is enough. */
export function isMessageList(list: readonly unknown[]): boolean {
  return list.some((item) => hasRole(item));
}

function hasRole(item: unknown): boolean {
  return typeof item === "object" && item !== null && "role" in item && typeof item.role === "string";
}

function isAgentDojo(run: JsonObject): boolean {
  return Array.isArray(run["messages"]) && run["suite_name"] !== undefined && run["user_task_id"] !== undefined;
}

function detectVendor(request: JsonObject, messages: readonly JsonValue[]): ImportFormat {
  const tools = Array.isArray(request["tools"]) ? request["tools"] : [];
  const isAnthropic =
    (request["system"] ?? null) !== null ||
    tools.some((tool) => isObject(tool) && isObject(tool["input_schema"])) ||
    messages.some((message) => isObject(message) && hasAnthropicBlock(message["content"]));
  return isAnthropic ? "anthropic-messages" : "openai-messages";
}

function hasAnthropicBlock(content: JsonValue | undefined): boolean {
  if (!Array.isArray(content)) return false;
  return content.some((block) => {
    if (!isObject(block)) return false;
    return ANTHROPIC_BLOCKS.has(block["type"]) || (block["type"] === "image" && isObject(block["source"]));
  });
}

function known(format: ImportFormat): Detection {
  return { kind: "known", format };
}

function unknown(record: JsonValue): Detection {
  return { kind: "unknown", saw: describe(record) };
}

function describe(record: JsonValue): string {
  if (Array.isArray(record)) return record.length === 0 ? "an empty list" : "a list of something else than messages";
  if (!isObject(record)) return record === null ? "null" : `a ${typeof record}`;
  const keys = Object.keys(record);
  if (keys.length === 0) return "an empty object";
  const shown = keys.slice(0, 8).map((key) => JSON.stringify(key.slice(0, 40)));
  return `an object with ${shown.join(", ")}${keys.length > shown.length ? ", …" : ""}`;
}
