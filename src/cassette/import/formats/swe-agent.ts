// SWE-agent trajectories (`.traj`, versions 0.x and 1.x): {environment, trajectory, history, info}. `history` is the
// conversation, OpenAI messages with notes of the agent's own; an action is a call, or text in the answer. Several agents may
// share one history, each told its own part of it. `thought` and `action` say again what an answer holds, and `trajectory`
// what the history does: left out knowingly, with `message_type`, `cache_control` and `tags`.

import { defined, isPlainObject, parseBoundedJson, type JsonObject, type JsonValue } from "../../../core/index.js";
import type { LogMessage, LogRun } from "../log.js";
import { readOpenAiMessages } from "./openai.js";
import type { RepairLog } from "../repair.js";
import { isObject, malformed, toName, toText } from "../value.js";

/** Fields of a message that are the agent's notes on it. */
const NOTES: ReadonlySet<string> = new Set([
  ...["agent", "message_type", "is_demo", "thought", "action", "tool_call_ids", "cache_control", "tags"],
]);

/** True for a trajectory, or one with the `attempts` of a retrying agent. */
export function isSweAgent(record: JsonValue): boolean {
  return isObject(record) && (isAttempt(record) || attemptsOf(record).some((attempt) => isAttempt(attempt)));
}

function isAttempt(record: JsonValue): boolean {
  return isObject(record) && Array.isArray(record["trajectory"]) && Array.isArray(record["history"]);
}

function attemptsOf(record: JsonObject): JsonValue[] {
  return Array.isArray(record["attempts"]) ? record["attempts"] : [];
}

/** The conversation of every agent of every attempt, each as a trajectory of its own. */
export function splitSweAgent(record: JsonValue): JsonObject[] {
  if (!isObject(record)) throw malformed("it is no SWE-agent trajectory: it is no object");
  const attempts = attemptsOf(record);
  if (attempts.length === 0) return splitAgents(record, undefined);
  const { attempts: _, trajectory, history, info, ...head } = record;
  return attempts.flatMap((attempt, index) => {
    if (!isObject(attempt)) throw malformed(`attempts ${index} is no object`);
    return splitAgents({ ...head, ...attempt }, `attempt-${index + 1}`);
  });
}

function splitAgents(record: JsonObject, attempt: string | undefined): JsonObject[] {
  const { history } = record;
  if (!Array.isArray(history)) throw malformed("it is no SWE-agent trajectory: it has no history");
  const byAgent = new Map<string, JsonValue[]>();
  for (const message of history) {
    const agent = isObject(message) ? toText(message["agent"]) : "";
    const own = byAgent.get(agent);
    if (own === undefined) byAgent.set(agent, [message]);
    else own.push(message);
  }
  return [...byAgent].map(([agent, messages]) => {
    const names = [attempt, byAgent.size > 1 && agent !== "" ? agent : undefined].filter((name) => name !== undefined);
    return { ...record, history: messages, ...(names.length === 0 ? {} : { trial: names.join("-") }) };
  });
}

/** Reads the conversation of one agent. */
export function readSweAgent(record: JsonObject, repairs: RepairLog): LogRun {
  const { history, info, environment } = record;
  if (!Array.isArray(history)) throw malformed("it is no SWE-agent trajectory: it has no history");
  const model = modelOf(record["replay_config"]);
  const trial = toName(record["trial"]);
  return {
    ...defined({ model, trial }),
    ...(info === undefined ? {} : { outcome: toOutcome(info, environment) }),
    messages: history.flatMap((message) => readMessage(message, repairs)),
  };
}

/** How the run ended: not what it cost, nor the files it edited, which its calls show. */
function toOutcome(info: JsonValue, environment: JsonValue | undefined): JsonObject {
  const { exit_status: exitStatus = null, submission = null } = isObject(info) ? info : {};
  return { exit_status: exitStatus, submission, environment: environment ?? null };
}

/** The settings are an object, or its JSON text. A replay of recorded actions names no model. */
function modelOf(config: JsonValue | undefined): string | undefined {
  const parsed = typeof config === "string" ? parseJson(config) : config;
  const agent = isPlainObject(parsed) ? parsed["agent"] : undefined;
  const model = isPlainObject(agent) ? agent["model"] : undefined;
  const name = isPlainObject(model) ? model["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

function readMessage(message: JsonValue, repairs: RepairLog): LogMessage[] {
  if (!isObject(message)) return readOpenAiMessages([message], repairs);
  const kept = Object.fromEntries(Object.entries(message).filter(([name]) => !NOTES.has(name)));
  const { tool_call_ids: ids, is_demo: isDemo } = message;
  if (Array.isArray(ids) && ids[0] !== undefined) {
    kept["tool_call_id"] = ids[0];
    if (ids.length > 1) repairs.add("field-dropped", ids.length - 1);
  }
  const read = readOpenAiMessages([kept], repairs);
  if (isDemo !== true) return read;
  return read.map((said) => {
    if (said.role !== "assistant") return said;
    repairs.add("answer-not-model");
    return { ...said, notModel: true };
  });
}
