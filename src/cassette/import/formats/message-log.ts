// A request body, or a record around its messages, in the words of OpenAI, Anthropic or the AI SDK. Which of them is answered
// from its shape; a list of plain user and assistant messages, which both vendors write alike, counts as OpenAI's.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import { isAiSdkMessage, readAiSdkMessages } from "./ai-sdk-messages.js";
import { readAnthropicMessages, readSystem } from "./anthropic.js";
import type { LogRun } from "../log.js";
import { readOpenAiMessages } from "./openai.js";
import type { RepairLog } from "../repair.js";
import { readTools } from "../message/tools.js";
import { isObject, malformed, toName } from "../value.js";

const READERS = {
  "ai-sdk-messages": readAiSdkMessages,
  "anthropic-messages": readAnthropicMessages,
  "openai-messages": readOpenAiMessages,
};

export type MessageFormat = keyof typeof READERS;

const ANTHROPIC_BLOCKS: ReadonlySet<unknown> = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking"]);

/** The vendor of a record of messages; undefined for anything else. */
export function detectMessages(record: JsonValue): MessageFormat | undefined {
  if (Array.isArray(record)) return isMessageList(record) ? detectVendor({}, record) : undefined;
  if (!isObject(record)) return undefined;
  const { format, messages } = record;
  if (!Array.isArray(messages)) return undefined;
  return isMessageFormat(format) ? format : detectVendor(record, messages);
}

/** True for a list of messages, as opposed to a list of records: one with a role is enough. */
export function isMessageList(list: readonly unknown[]): boolean {
  return list.some((item) => hasRole(item));
}

/** Reads a record of messages in the words of `format`. */
export function readMessageLog(record: JsonObject, format: MessageFormat, log: RepairLog): LogRun {
  const { messages } = record;
  if (!Array.isArray(messages)) throw malformed(`it is no ${format} record: it has no list of messages`);
  const model = toName(record["model"]);
  const task = toName(record["task"]) ?? toName(record["task_id"]) ?? toName(record["id"]);
  const trial = toName(record["trial"]);
  const origin = toName(record["source"]);
  const tools = readTools(record["tools"] ?? record["functions"], log);
  return {
    ...defined({ model, task, trial, origin, tools }),
    messages: [...readSystem(record["system"], log), ...READERS[format](messages, log)],
  };
}

function isMessageFormat(word: JsonValue | undefined): word is MessageFormat {
  return typeof word === "string" && Object.hasOwn(READERS, word);
}

function hasRole(item: unknown): boolean {
  return typeof item === "object" && item !== null && "role" in item && typeof item.role === "string";
}

function detectVendor(request: JsonObject, messages: readonly JsonValue[]): MessageFormat {
  const tools = Array.isArray(request["tools"]) ? request["tools"] : [];
  const isAiSdk =
    tools.some((tool) => isObject(tool) && tool["type"] === "function" && isObject(tool["inputSchema"])) ||
    messages.some((message) => isObject(message) && isAiSdkMessage(message));
  if (isAiSdk) return "ai-sdk-messages";
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
