// A request body, or a record around its messages, as OpenAI, Anthropic or the AI SDK write them. The shape tells which; a list
// of plain user and assistant messages, which both vendors write alike, counts as OpenAI's.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { LogRun } from "../log-run.js";
import { readTools } from "../message/tools.js";
import type { RepairLog } from "../repair.js";
import { isObject, listIn, toList, toName, toObject } from "../foreign-json.js";
import { isAiSdkMessage, readAiSdkMessages } from "./ai-sdk-messages.js";
import { readAnthropicMessages, readSystem } from "./anthropic.js";
import { readOpenAiMessages } from "./openai.js";

const READERS = {
  "ai-sdk-messages": readAiSdkMessages,
  "anthropic-messages": readAnthropicMessages,
  "openai-messages": readOpenAiMessages,
};

export type MessageFormat = keyof typeof READERS;

const ANTHROPIC_BLOCKS: ReadonlySet<unknown> = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking"]);

export function detectMessages(record: JsonValue): MessageFormat | undefined {
  if (Array.isArray(record)) return isMessageList(record) ? detectVendor({}, record) : undefined;
  const { format, messages } = toObject(record);
  if (!Array.isArray(messages)) return undefined;
  const isKnown = typeof format === "string" && Object.hasOwn(READERS, format);
  return isKnown ? (format as MessageFormat) : detectVendor(toObject(record), messages);
}

/** True for a list of messages, as opposed to a list of records: one item with a role is enough. */
export function isMessageList(list: readonly unknown[]): boolean {
  return list.some((item) => typeof (item as { role?: unknown } | null)?.role === "string");
}

export function readMessageLog(record: JsonObject, format: MessageFormat, log: RepairLog): LogRun {
  const messages = listIn(record, "messages", `in ${format} format`);
  return {
    model: toName(record["model"]),
    task: toName(record["task"]) ?? toName(record["task_id"]) ?? toName(record["id"]),
    trial: toName(record["trial"]),
    origin: toName(record["source"]),
    tools: readTools(record["tools"] ?? record["functions"], log),
    messages: [...readSystem(record["system"], log), ...READERS[format](messages, log)],
  };
}

function detectVendor(request: JsonObject, list: readonly JsonValue[]): MessageFormat {
  const tools = toList(request["tools"]).filter(isObject);
  const messages = list.filter(isObject);
  const isAiSdk =
    tools.some(({ type, inputSchema }) => type === "function" && isObject(inputSchema)) ||
    messages.some(isAiSdkMessage);
  if (isAiSdk) return "ai-sdk-messages";
  const isAnthropic =
    (request["system"] ?? null) !== null ||
    tools.some((tool) => isObject(tool["input_schema"])) ||
    messages.some(hasAnthropicBlock);
  return isAnthropic ? "anthropic-messages" : "openai-messages";
}

function hasAnthropicBlock({ content }: JsonObject): boolean {
  const blocks = toList(content).filter(isObject);
  return blocks.some(({ type, source }) => ANTHROPIC_BLOCKS.has(type) || (type === "image" && isObject(source)));
}
