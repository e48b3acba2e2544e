// The messages of an Inspect AI log (`ChatMessage` of inspect_ai). They are like OpenAI's, but a call's `function` is its name,
// its arguments are an object, and `error` holds a tool's failure. A message's `id`, `source` and `model` are ignored.

import type { JsonObject } from "../../../core/index.js";
import type { LogMessage } from "../log-run.js";
import { readCalls, type CallWords } from "../message/calls.js";
import { readAssistantContent, readSystemMessage, readText, readUserMessage } from "../message/content.js";
import { countDropped, createMessageReader, joinToolError, type ContentRules } from "../message/message.js";
import { isObject, toName, toText } from "../foreign-json.js";

const FIELDS = ["id", "source", "model", "role", "content"];
/** A `parse_error` explains why the arguments are not what the model wrote, which is not in the log. */
const CALL: CallWords = { id: "id", name: "function", arguments: "arguments", ignored: ["type"] };
const ERROR_FIELDS: ReadonlySet<string> = new Set(["message"]);

export const readInspectMessages = createMessageReader(true, {
  system: { fields: FIELDS, read: readSystemMessage },
  user: { fields: FIELDS, read: readUserMessage },
  assistant: { fields: [...FIELDS, "tool_calls"], read: readAssistant },
  tool: { fields: [...FIELDS, "tool_call_id", "function", "error"], read: readToolResult },
});

function readAssistant({ content, tool_calls: calls }: JsonObject, rules: ContentRules): LogMessage {
  return { role: "assistant", ...readAssistantContent(content, rules), calls: readCalls(calls, CALL, rules.repairs) };
}

function readToolResult(message: JsonObject, rules: ContentRules): LogMessage {
  const { content, error, tool_call_id: callId } = message;
  // The kind of failure (`timeout`, `permission`, …) has no place in ours.
  if (isObject(error)) countDropped(error, ERROR_FIELDS, rules.repairs);
  const words = isObject(error) ? toText(error["message"]) : "";
  return {
    role: "tool",
    callId,
    name: toName(message["function"]),
    content: joinToolError(readText(content, rules), words, rules.repairs),
    isError: isObject(error),
  };
}
