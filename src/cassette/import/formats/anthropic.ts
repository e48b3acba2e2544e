// Anthropic messages (Messages API): content blocks, tool results inside user messages, the system prompt apart. One of
// their user messages becomes one tool message for each result and one user message for each stretch between them.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import { toArguments } from "../message/calls.js";
import { readAssistantContent, readText, readUserContent, type ContentRules } from "../message/content.js";
import type { LogCall, LogMessage } from "../log.js";
import { countDropped, keepUnknown, toUsage } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, toName, toText } from "../value.js";

const FIELDS = new Set(["role", "content", "usage"]);
const CALL_FIELDS = new Set(["type", "id", "name", "input", "cache_control"]);
const RESULT_FIELDS = new Set(["type", "tool_use_id", "content", "is_error", "cache_control"]);

/** Reads a list of Anthropic messages. A `system` of the request is `readSystem`'s. */
export function readAnthropicMessages(list: readonly JsonValue[], repairs: RepairLog): LogMessage[] {
  const rules: ContentRules = { repairs, listIsNative: true };
  return list.flatMap((message) => {
    if (!isObject(message)) return [keepUnknown(message, repairs)];
    return readMessage(message, rules);
  });
}

/** The system prompt that stands beside the messages: text or a list of text blocks. Nothing if it is absent or null. */
export function readSystem(system: JsonValue | undefined, repairs: RepairLog): LogMessage[] {
  if (system === undefined || system === null) return [];
  return [{ role: "system", content: readText(system, { repairs, listIsNative: true }) }];
}

function readMessage(message: JsonObject, rules: ContentRules): LogMessage[] {
  const { content } = message;
  const role = toText(message["role"]);
  switch (role) {
    case "user":
      countDropped(message, FIELDS, rules.repairs);
      return Array.isArray(content)
        ? readUserBlocks(content, rules)
        : [{ role, content: readUserContent(content, rules) }];
    case "assistant":
      countDropped(message, FIELDS, rules.repairs);
      return [readAssistant(message, rules)];
    case "system":
      countDropped(message, FIELDS, rules.repairs);
      return [{ role, content: readText(content, rules) }];
  }
  return [keepUnknown(message, rules.repairs)];
}

function readUserBlocks(blocks: readonly JsonValue[], rules: ContentRules): LogMessage[] {
  const messages: LogMessage[] = [];
  let between: JsonValue[] = [];
  const flush = (): void => {
    if (between.length > 0) messages.push({ role: "user", content: readUserContent(between, rules) });
    between = [];
  };
  for (const block of blocks) {
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
  return {
    role: "tool",
    callId: block["tool_use_id"],
    content: readText(block["content"], rules),
    isError: block["is_error"] === true,
  };
}

function readAssistant(message: JsonObject, rules: ContentRules): LogMessage {
  const { content } = message;
  const calls: LogCall[] = [];
  let others = content;
  if (Array.isArray(content)) {
    const rest: JsonValue[] = [];
    for (const block of content) {
      if (isObject(block) && block["type"] === "tool_use") {
        calls.push(readCall(block, rules.repairs));
      } else {
        if (calls.length > 0) rules.repairs.add("text-order-lost");
        rest.push(block);
      }
    }
    others = rest;
  }
  const usage = toUsage(message["usage"]);
  return {
    role: "assistant",
    ...readAssistantContent(others, rules),
    calls,
    ...defined({ usage }),
  };
}

function readCall(block: JsonObject, repairs: RepairLog): LogCall {
  countDropped(block, CALL_FIELDS, repairs);
  const name = toName(block["name"]);
  return {
    id: block["id"],
    ...defined({ name }),
    ...toArguments(block["input"], repairs),
  };
}
