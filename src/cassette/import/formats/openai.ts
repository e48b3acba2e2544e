// OpenAI chat messages (Chat Completions API), with what their logs do to them: ids lost, contents null, `function_call`
// from before `tool_calls`, and the `reasoning_content` that several compatible vendors add.

import { canonicalize, defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { toArguments } from "../message/calls.js";
import { readAssistantContent, readText, readUserContent, type ContentRules } from "../message/content.js";
import type { LogAssistantMessage, LogCall, LogMessage } from "../log.js";
import { countDropped, keepUnknown, toUsage } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, toName, toText, toThoughts } from "../value.js";

/** Set by a reader that put text before the calls it stood after. */
export const AFTER_CALLS = "text after calls";

const PLAIN_FIELDS = new Set(["role", "content"]);
const TOOL_FIELDS = new Set(["role", "content", "tool_call_id", "name", "is_error"]);
const ASSISTANT_FIELDS = new Set([
  ...["role", "content", "tool_calls", "function_call", "refusal", "usage"],
  ...["reasoning", "reasoning_content", AFTER_CALLS],
]);

const BODY_FIELDS = new Set(["name", "arguments", "input"]);
const CALL_FIELDS = new Set(["id", "type", "index", "function", "custom", ...BODY_FIELDS]);

/** Reads a list of OpenAI messages, one for one. */
export function readOpenAiMessages(list: readonly JsonValue[], repairs: RepairLog): LogMessage[] {
  const rules: ContentRules = { repairs, listIsNative: false };
  return list.map((message) => (isObject(message) ? readMessage(message, rules) : keepUnknown(message, repairs)));
}

function readMessage(message: JsonObject, rules: ContentRules): LogMessage {
  const { content } = message;
  const role = toText(message["role"]);
  const { repairs } = rules;
  switch (role) {
    case "system":
    case "developer":
      if (role === "developer") repairs.add("role-developer");
      countDropped(message, PLAIN_FIELDS, repairs);
      return { role: "system", content: readText(content, rules) };
    case "user":
      countDropped(message, PLAIN_FIELDS, repairs);
      return { role: "user", content: readUserContent(content, rules) };
    case "assistant":
      countDropped(message, ASSISTANT_FIELDS, repairs);
      return readAssistant(message, rules);
    case "tool":
    case "function":
      if (role === "function") repairs.add("function-call-legacy");
      countDropped(message, TOOL_FIELDS, repairs);
      return readToolResult(message, rules);
  }
  return keepUnknown(message, repairs);
}

function readToolResult(message: JsonObject, rules: ContentRules): LogMessage {
  const name = toName(message["name"]);
  return {
    role: "tool",
    callId: message["tool_call_id"],
    ...defined({ name }),
    content: readText(message["content"], rules),
    isError: message["is_error"] === true,
  };
}

function readAssistant(message: JsonObject, rules: ContentRules): LogAssistantMessage {
  const { repairs } = rules;
  const answer = readAssistantContent(message["content"], rules);
  const thought = message["reasoning_content"] ?? message["reasoning"];
  answer.reasoning.push(...toThoughts(thought).map((text) => ({ type: "text" as const, text })));
  if (isObject(thought) || (Array.isArray(thought) && thought.some((item) => typeof item !== "string"))) {
    repairs.add("field-dropped");
  }
  if (typeof message["refusal"] === "string") {
    repairs.add("refusal-joined");
    answer.content += message["refusal"];
  }
  if (message[AFTER_CALLS] === true) repairs.add("text-order-lost");
  const usage = toUsage(message["usage"]);
  return {
    role: "assistant",
    ...answer,
    calls: [...readCalls(message["tool_calls"], repairs), ...readLegacyCall(message["function_call"], repairs)],
    ...defined({ usage }),
  };
}

function readCalls(calls: JsonValue | undefined, repairs: RepairLog): LogCall[] {
  if (calls === undefined) return [];
  if (calls === null) {
    repairs.add("tool-calls-null");
    return [];
  }
  if (!Array.isArray(calls)) repairs.add("tool-calls-not-list");
  return (Array.isArray(calls) ? calls : [calls]).map((call) => readCall(call, repairs));
}

/** `{id, function: {name, arguments}}`; a custom tool's `{custom: {name, input}}` and a flat call are read alike. */
function readCall(call: JsonValue, repairs: RepairLog): LogCall {
  if (!isObject(call)) {
    repairs.add("arguments-malformed");
    return { id: undefined, arguments: {}, malformedArguments: canonicalize(call) };
  }
  const body = [call["function"], call["custom"]].find(isObject) ?? call;
  countDropped(call, CALL_FIELDS, repairs);
  if (body !== call) countDropped(body, BODY_FIELDS, repairs);
  return { id: call["id"], ...readBody(body, repairs) };
}

function readLegacyCall(call: JsonValue | undefined, repairs: RepairLog): LogCall[] {
  if (!isObject(call)) return [];
  repairs.add("function-call-legacy");
  return [{ id: undefined, legacy: true, ...readBody(call, repairs) }];
}

function readBody(body: JsonObject, repairs: RepairLog): Omit<LogCall, "id"> {
  const name = toName(body["name"]);
  const given = body["arguments"] ?? body["input"];
  if (isObject(given)) repairs.add("arguments-not-text");
  return { ...defined({ name }), ...toArguments(given, repairs) };
}
