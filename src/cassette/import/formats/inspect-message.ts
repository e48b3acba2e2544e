// The messages of an Inspect AI log (`ChatMessage` of inspect_ai): near to OpenAI's, but a call's `function` is its name, its
// arguments are an object, and a tool's failure stands in `error`. `id`, `source` and `model` of a message are bookkeeping.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import { toArguments } from "../message/calls.js";
import { readAssistantContent, readText, readUserContent, type ContentRules } from "../message/content.js";
import type { LogCall, LogMessage } from "../log.js";
import { countDropped, joinToolError, keepUnknown } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, toName, toText } from "../value.js";

const FIELDS = ["id", "source", "model", "role", "content"];
const PLAIN_FIELDS = new Set(FIELDS);
const ASSISTANT_FIELDS = new Set([...FIELDS, "tool_calls"]);
const TOOL_FIELDS = new Set([...FIELDS, "tool_call_id", "function", "error"]);
const CALL_FIELDS = new Set(["id", "function", "arguments", "type"]);

/** Reads a list of Inspect's messages, one for one. */
export function readInspectMessages(list: readonly JsonValue[], repairs: RepairLog): LogMessage[] {
  const rules: ContentRules = { repairs, listIsNative: true };
  return list.map((message) => (isObject(message) ? readMessage(message, rules) : keepUnknown(message, repairs)));
}

function readMessage(message: JsonObject, rules: ContentRules): LogMessage {
  const { content } = message;
  const { repairs } = rules;
  const role = toText(message["role"]);
  switch (role) {
    case "system":
      countDropped(message, PLAIN_FIELDS, repairs);
      return { role, content: readText(content, rules) };
    case "user":
      countDropped(message, PLAIN_FIELDS, repairs);
      return { role, content: readUserContent(content, rules) };
    case "assistant":
      countDropped(message, ASSISTANT_FIELDS, repairs);
      return { role, ...readAssistantContent(content, rules), calls: readCalls(message["tool_calls"], repairs) };
    case "tool":
      countDropped(message, TOOL_FIELDS, repairs);
      return readToolResult(message, rules);
  }
  return keepUnknown(message, repairs);
}

function readCalls(calls: JsonValue | undefined, repairs: RepairLog): LogCall[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) repairs.add("tool-calls-not-list");
  return (Array.isArray(calls) ? calls : [calls]).map((call) => {
    if (!isObject(call)) return { id: undefined, ...toArguments(call, repairs) };
    // A `parse_error` says why the arguments are not what the model wrote; what it wrote is not in the log.
    countDropped(call, CALL_FIELDS, repairs);
    const name = toName(call["function"]);
    return { id: call["id"], ...defined({ name }), ...toArguments(call["arguments"], repairs) };
  });
}

function readToolResult(message: JsonObject, rules: ContentRules): LogMessage {
  const { error } = message;
  const name = toName(message["function"]);
  const said = isObject(error) ? toText(error["message"]) : undefined;
  // The kind of failure (`timeout`, `permission`, …).
  if (isObject(error)) countDropped(error, new Set(["message"]), rules.repairs);
  return {
    role: "tool",
    callId: message["tool_call_id"],
    ...defined({ name }),
    content: joinToolError(readText(message["content"], rules), said ?? "", rules.repairs),
    isError: said !== undefined,
  };
}
