// AgentDojo runs (ethz-spylab/agentdojo, `runs/**.json`): the original file, or one wrapped as {source, model, task,
// attack, data}. Tool calls are {function, args, id, placeholder_args}; tool messages say their call and their error.
// `placeholder_args` belong to AgentDojo's ground-truth agents, which no model is; null ones are ignored knowingly.

import { defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { toArguments } from "../message/calls.js";
import { readAssistantContent, readText, readUserContent, type ContentRules } from "../message/content.js";
import type { LogCall, LogMessage, LogRun } from "../log.js";
import { countDropped, joinToolError, keepUnknown } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, malformed, toName, toText } from "../value.js";

const FIELDS = new Set(["role", "content", "tool_calls", "tool_call_id", "tool_call", "error"]);

const CALL_FIELDS = new Set(["id", "function", "args", "placeholder_args"]);

/** True for a run as the benchmark writes it, wrapped or not. */
export function isAgentDojo(record: JsonValue): boolean {
  if (!isObject(record)) return false;
  return isRun(record) || (isObject(record["data"]) && isRun(record["data"]));
}

function isRun(run: JsonObject): boolean {
  return Array.isArray(run["messages"]) && run["suite_name"] !== undefined && run["user_task_id"] !== undefined;
}

/** Reads one run. An attacked run is named after its injection too, so that it never takes the place of the plain one. */
export function readAgentDojo(record: JsonObject, repairs: RepairLog): LogRun {
  const data = isObject(record["data"]) ? record["data"] : record;
  const { messages, utility, security, error } = data;
  if (!Array.isArray(messages)) throw malformed("it is no AgentDojo run: it has no list of messages");
  const model = toName(record["model"]) ?? toName(data["pipeline_name"]);
  const task = toName(record["task"]) ?? joinNames("/", data["suite_name"], data["user_task_id"]);
  const origin = toName(record["source"]);
  const name = joinNames(".", task, data["injection_task_id"], data["attack_type"]);
  const rules: ContentRules = { repairs, listIsNative: false };
  return {
    ...defined({ model, task: name, origin }),
    outcome: { utility: utility ?? null, security: security ?? null, error: error ?? null },
    messages: messages.map((message) =>
      isObject(message) ? readMessage(message, rules) : keepUnknown(message, repairs),
    ),
  };
}

function joinNames(separator: string, ...names: (JsonValue | undefined)[]): string | undefined {
  const known = names.map(toName).filter((name) => name !== undefined);
  return known.length > 0 ? known.join(separator) : undefined;
}

function readMessage(message: JsonObject, rules: ContentRules): LogMessage {
  const { content } = message;
  const role = toText(message["role"]);
  switch (role) {
    case "system":
      countDropped(message, FIELDS, rules.repairs);
      return { role, content: readText(content, rules) };
    case "user":
      countDropped(message, FIELDS, rules.repairs);
      return { role, content: readUserContent(content, rules) };
    case "assistant":
      countDropped(message, FIELDS, rules.repairs);
      return { role, ...readAssistantContent(content, rules), calls: readCalls(message["tool_calls"], rules.repairs) };
    case "tool":
      countDropped(message, FIELDS, rules.repairs);
      return readToolResult(message, rules);
  }
  return keepUnknown(message, rules.repairs);
}

function readCalls(calls: JsonValue | undefined, repairs: RepairLog): LogCall[] {
  if (calls === undefined) return [];
  if (calls === null) {
    repairs.add("tool-calls-null");
    return [];
  }
  if (!Array.isArray(calls)) repairs.add("tool-calls-not-list");
  return (Array.isArray(calls) ? calls : [calls]).map((call) => {
    if (!isObject(call)) return { id: undefined, ...toArguments(call, repairs) };
    if (call["placeholder_args"] !== undefined && call["placeholder_args"] !== null) {
      repairs.add("placeholder-args-dropped");
    }
    countDropped(call, CALL_FIELDS, repairs);
    const name = toName(call["function"]);
    return { id: call["id"], ...defined({ name }), ...toArguments(call["args"], repairs) };
  });
}

function readToolResult(message: JsonObject, rules: ContentRules): LogMessage {
  const { tool_call: call, error } = message;
  const name = isObject(call) ? toName(call["function"]) : undefined;
  const isError = typeof error === "string" && error !== "";
  if (typeof error !== "string") countDropped({ error: error ?? null }, new Set(), rules.repairs);
  const content = joinToolError(readText(message["content"], rules), toText(error), rules.repairs);
  return { role: "tool", callId: message["tool_call_id"], ...defined({ name }), content, isError };
}
