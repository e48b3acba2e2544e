// AgentDojo runs (ethz-spylab/agentdojo, `runs/**.json`): the original file, or one wrapped as {source, model, task, attack,
// data}. Tool calls are {function, args, id, placeholder_args}; tool messages repeat their call and have its error.
// Only AgentDojo's ground-truth agents, which are not models, set `placeholder_args`; null ones are ignored.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { LogMessage, LogRun } from "../log-run.js";
import { readCalls, type CallWords } from "../message/calls.js";
import { readAssistantContent, readSystemMessage, readText, readUserMessage } from "../message/content.js";
import { countValue, createMessageReader, joinToolError, type ContentRules } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, listIn, toName, toObject, toText } from "../foreign-json.js";

const FIELDS = ["role", "content", "tool_calls", "tool_call_id", "tool_call", "error"];
const CALL: CallWords = { id: "id", name: "function", arguments: "args", ignored: ["placeholder_args"] };

const readMessages = createMessageReader(false, {
  system: { fields: FIELDS, read: readSystemMessage },
  user: { fields: FIELDS, read: readUserMessage },
  assistant: { fields: FIELDS, read: readAssistant },
  tool: { fields: FIELDS, read: readToolResult },
});

export function isAgentDojo(record: JsonValue): boolean {
  if (!isObject(record)) return false;
  return isRun(record) || isRun(toObject(record["data"]));
}

function isRun(run: JsonObject): boolean {
  return Array.isArray(run["messages"]) && run["suite_name"] !== undefined && run["user_task_id"] !== undefined;
}

/** Reads one run. The name of an attacked run includes its injection, so that it never replaces the plain one. */
export function readAgentDojo(record: JsonObject, repairs: RepairLog): LogRun {
  const data = isObject(record["data"]) ? record["data"] : record;
  const { utility = null, security = null, error = null } = data;
  const messages = listIn(data, "messages", "an AgentDojo run");
  const task = toName(record["task"]) ?? joinNames("/", data["suite_name"], data["user_task_id"]);
  return {
    model: toName(record["model"]) ?? toName(data["pipeline_name"]),
    task: joinNames(".", task, data["injection_task_id"], data["attack_type"]),
    origin: toName(record["source"]),
    outcome: { utility, security, error },
    messages: readMessages(messages, repairs),
  };
}

function joinNames(separator: string, ...names: (JsonValue | undefined)[]): string | undefined {
  const known = names.map(toName).filter((name) => name !== undefined);
  return known.length > 0 ? known.join(separator) : undefined;
}

function readAssistant(message: JsonObject, rules: ContentRules): LogMessage {
  const { content, tool_calls: calls } = message;
  if (calls === null) rules.repairs.add("tool-calls-null");
  for (const call of Array.isArray(calls) ? calls : [calls]) {
    if ((toObject(call)["placeholder_args"] ?? null) !== null) rules.repairs.add("placeholder-args-dropped");
  }
  return { role: "assistant", ...readAssistantContent(content, rules), calls: readCalls(calls, CALL, rules.repairs) };
}

function readToolResult(message: JsonObject, rules: ContentRules): LogMessage {
  const { content, error, tool_call: call, tool_call_id: callId } = message;
  if (typeof error !== "string") countValue(error, rules.repairs);
  const name = toName(toObject(call)["function"]);
  const joined = joinToolError(readText(content, rules), toText(error), rules.repairs);
  return { role: "tool", callId, name, content: joined, isError: toText(error) !== "" };
}
