// Anthropic messages (Messages API): content blocks, tool results inside user messages, the system prompt apart. A user
// message becomes one tool message for each result, and one user message for each stretch between them.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { LogMessage } from "../log-run.js";
import { readCall, takeCallBlocks, type CallWords } from "../message/calls.js";
import { readAssistantContent, readSystemMessage, readText, readUserContent } from "../message/content.js";
import { countDropped, createMessageReader, toUsage, type ContentRules } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject } from "../foreign-json.js";

const FIELDS = ["role", "content", "usage"];
const CALL: CallWords = { id: "id", name: "name", arguments: "input", ignored: ["type", "cache_control"] };
const RESULT_FIELDS = new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]);

export const readAnthropicMessages = createMessageReader(true, {
  user: { fields: FIELDS, read: readUser },
  assistant: { fields: FIELDS, read: readAssistant },
  system: { fields: FIELDS, read: readSystemMessage },
});

/** The system prompt outside the messages: text or a list of text blocks. Nothing if it is absent or null. */
export function readSystem(system: JsonValue | undefined, repairs: RepairLog): LogMessage[] {
  if (system === undefined || system === null) return [];
  return [{ role: "system", content: readText(system, { repairs, listIsNative: true }) }];
}

function readUser({ content }: JsonObject, rules: ContentRules): LogMessage[] {
  if (!Array.isArray(content)) return [{ role: "user", content: readUserContent(content, rules) }];
  const messages: LogMessage[] = [];
  let between: JsonValue[] = [];
  const flush = (): void => {
    if (between.length > 0) messages.push({ role: "user", content: readUserContent(between, rules) });
    between = [];
  };
  for (const block of content) {
    if (isObject(block) && block["type"] === "tool_result") {
      flush();
      messages.push(readToolResult(block, rules));
    } else {
      between.push(block);
    }
  }
  flush();
  return messages.length > 0 ? messages : [{ role: "user", content: "" }];
}

function readToolResult(block: JsonObject, rules: ContentRules): LogMessage {
  countDropped(block, RESULT_FIELDS, rules.repairs);
  const { content, tool_use_id: callId, is_error: isError } = block;
  return { role: "tool", callId, content: readText(content, rules), isError: isError === true };
}

function readAssistant(message: JsonObject, rules: ContentRules): LogMessage {
  const { calls, others } = takeCallBlocks(message["content"], "tool_use", rules.repairs);
  return {
    role: "assistant",
    ...readAssistantContent(others, rules),
    calls: calls.map((call) => readCall(call, CALL, rules.repairs)),
    usage: toUsage(message["usage"]),
  };
}
