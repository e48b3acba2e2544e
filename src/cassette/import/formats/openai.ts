// OpenAI chat messages (Chat Completions API), with what their logs do to them: ids lost, contents null, `function_call`
// from before `tool_calls`, and the `reasoning_content` that several compatible vendors add.

import { canonicalize, type JsonObject, type JsonValue } from "../../../core/index.js";
import type { LogAssistantMessage, LogCall, LogMessage } from "../log-run.js";
import { toArguments, toCallList } from "../message/calls.js";
import { readAssistantContent, readSystemMessage, readText, readUserMessage } from "../message/content.js";
import { countDropped, createMessageReader, toUsage, type ContentRules } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, toName, toThoughts } from "../foreign-json.js";

/** A mark set by a reader that moved text before the calls it came after. */
export const AFTER_CALLS = "text after calls";

const PLAIN_FIELDS = ["role", "content"];
const TOOL_FIELDS = ["role", "content", "tool_call_id", "name", "is_error"];
const ASSISTANT_FIELDS = [
  ...["role", "content", "tool_calls", "function_call", "refusal", "usage"],
  ...["reasoning", "reasoning_content", AFTER_CALLS],
];
const BODY_FIELDS = new Set(["name", "arguments", "input"]);
const CALL_FIELDS = new Set(["id", "type", "index", "function", "custom", ...BODY_FIELDS]);

export const readOpenAiMessages = createMessageReader(false, {
  system: { fields: PLAIN_FIELDS, read: readSystemMessage },
  developer: {
    fields: PLAIN_FIELDS,
    read(message, rules) {
      rules.repairs.add("role-developer");
      return readSystemMessage(message, rules);
    },
  },
  user: { fields: PLAIN_FIELDS, read: readUserMessage },
  assistant: { fields: ASSISTANT_FIELDS, read: readAssistant },
  tool: { fields: TOOL_FIELDS, read: readToolResult },
  function: {
    fields: TOOL_FIELDS,
    read(message, rules) {
      rules.repairs.add("function-call-legacy");
      return readToolResult(message, rules);
    },
  },
});

function readToolResult(message: JsonObject, rules: ContentRules): LogMessage {
  return {
    role: "tool",
    callId: message["tool_call_id"],
    name: toName(message["name"]),
    content: readText(message["content"], rules),
    isError: message["is_error"] === true,
  };
}

function readAssistant(message: JsonObject, rules: ContentRules): LogAssistantMessage {
  const { tool_calls: calls, function_call: legacy, refusal } = message;
  const { repairs } = rules;
  const answer = readAssistantContent(message["content"], rules);
  const thought = message["reasoning_content"] ?? message["reasoning"];
  answer.reasoning.push(...toThoughts(thought).map((text) => ({ type: "text" as const, text })));
  if (isObject(thought) || (Array.isArray(thought) && thought.some((item) => typeof item !== "string"))) {
    repairs.add("field-dropped");
  }
  if (typeof refusal === "string") {
    repairs.add("refusal-joined");
    answer.content += refusal;
  }
  if (message[AFTER_CALLS] === true) repairs.add("text-order-lost");
  if (calls === null) repairs.add("tool-calls-null");
  return {
    role: "assistant",
    ...answer,
    calls: [...toCallList(calls, repairs).map((call) => readCall(call, repairs)), ...readLegacyCall(legacy, repairs)],
    usage: toUsage(message["usage"]),
  };
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
  const given = body["arguments"] ?? body["input"];
  if (isObject(given)) repairs.add("arguments-not-text");
  return { name: toName(body["name"]), ...toArguments(given, repairs) };
}
