// Results of tau2-bench: {info, tasks, simulations}, or one simulation. A run is one simulation. Messages are like OpenAI's, but calls
// are flat. The simulated user may call tools of its own, which the agent does not see. The policy in `info` is only a part of the
// system prompt, so it is not put in its place.

import { defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import type { LogMessage, LogRun } from "../log-run.js";
import { readCalls, type CallWords } from "../message/calls.js";
import { readSystemMessage, readText, readUserMessage } from "../message/content.js";
import { createMessageReader, toUsage, type ContentRules } from "../message/message.js";
import { readTools } from "../message/tools.js";
import type { RepairLog } from "../repair.js";
import { isObject, listIn, malformed, toCount, toList, toName, toObject } from "../foreign-json.js";

export function isTau2(record: JsonValue): boolean {
  if (!isObject(record)) return false;
  const { simulations, info, tasks } = record;
  if (Array.isArray(simulations)) return isObject(info) || Array.isArray(tasks);
  return isSimulation(record) && ("termination_reason" in record || "reward_info" in record);
}

function isSimulation({ task_id: task, messages }: JsonObject): boolean {
  return task !== undefined && Array.isArray(messages);
}

/** One record for each simulation, with its task. */
export function splitTau2(record: JsonValue): JsonObject[] {
  const { simulations, info = null, tasks } = toObject(record);
  if (!Array.isArray(simulations)) return [{ simulation: record, info: null }];
  if (simulations.length === 0)
    throw malformed("these tau2 results have no simulation: the run ended before the first");
  const byId = new Map(toList(tasks).map((task) => [toName(toObject(task)["id"]), task]));
  return simulations.map((simulation) => {
    const task = byId.get(toName(toObject(simulation)["task_id"]));
    return { simulation, info, ...defined({ task }) };
  });
}

export function readTau2(record: JsonObject, repairs: RepairLog): LogRun {
  const { simulation, info, task } = record;
  const run = toObject(simulation);
  const { agent_info: agent, environment_info: environment } = toObject(info);
  const { domain_name: domain, tool_defs: tools } = toObject(environment);
  const { llm, llm_args: settings } = toObject(agent);
  const { actions } = toObject(toObject(task)["evaluation_criteria"]);
  const { reward_info: judged, termination_reason: reason = null } = run;
  const messages = listIn(run, "messages", "a tau2 simulation");
  const id = toName(run["task_id"]);
  const names = [toName(domain), id && `task_${id.replaceAll("/", "_")}`];
  repairs.add("setting-dropped", Object.values(toObject(settings)).filter((value) => value !== null).length);
  return {
    model: toName(llm),
    task: names.filter((name) => name !== undefined).join("/") || undefined,
    trial: toName(run["trial"]),
    origin: toName(run["id"]),
    outcome: { reward: toObject(judged)["reward"] ?? null, termination_reason: reason, reward_info: judged ?? null },
    expected: Array.isArray(actions) ? actions : undefined,
    tools: readTools(isObject(tools) ? Object.values(tools) : tools, repairs),
    messages: toMessages(messages, repairs),
  };
}

/** What the agent saw and said. Its first words greet the user, and no model wrote them. */
function toMessages(messages: readonly JsonValue[], repairs: RepairLog): LogMessage[] {
  const flat = messages.flatMap((message) => {
    const { tool_messages: several } = toObject(message);
    return Array.isArray(several) ? several : [message];
  });
  const own = flat.filter((message) => !isUsers(toObject(message)));
  repairs.add("meta-line-dropped", flat.length - own.length);
  const [first, ...others] = readTau2Messages(own, repairs);
  if (first === undefined) return [];
  const isGreeting = first.role === "assistant" && first.calls.length === 0 && first.usage === undefined;
  if (isGreeting) repairs.add("answer-not-model");
  return [isGreeting ? { ...first, notModel: true } : first, ...others];
}

/** True for a call of the user's tools, or its result. */
function isUsers({ role, requestor, tool_calls: calls }: JsonObject): boolean {
  return role === "user" ? toList(calls).length > 0 : role === "tool" && requestor === "user";
}

const FIELDS = ["role", "content", "turn_idx", "timestamp", "cost", "usage", "raw_data", "generation_time_seconds"];
const SPOKEN = [...FIELDS, "tool_calls", "is_audio", "is_final_chunk", "contains_speech"];
const CALL: CallWords = { id: "id", name: "name", arguments: "arguments", ignored: ["requestor"] };

const readTau2Messages = createMessageReader(false, {
  system: { fields: FIELDS, read: readSystemMessage },
  user: { fields: SPOKEN, read: readUserMessage },
  assistant: { fields: SPOKEN, read: readAssistant },
  tool: { fields: [...FIELDS, "id", "name", "requestor", "error"], read: readToolResult },
});

function readAssistant({ content, tool_calls: calls, usage, cost }: JsonObject, rules: ContentRules): LogMessage {
  return {
    role: "assistant",
    // Null if there are calls, as in OpenAI's API.
    content: content === null && toList(calls).length > 0 ? "" : readText(content, rules),
    reasoning: [],
    calls: readCalls(calls, CALL, rules.repairs),
    usage: toUsage(usage),
    costUsd: toCount(cost),
  };
}

function readToolResult({ id, name, content, error }: JsonObject, rules: ContentRules): LogMessage {
  return { role: "tool", callId: id, name: toName(name), content: readText(content, rules), isError: error === true };
}
