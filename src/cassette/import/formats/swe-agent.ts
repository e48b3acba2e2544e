// SWE-agent trajectories (`.traj`, versions 0.x and 1.x): {environment, trajectory, history, info}. `history` is the
// conversation: OpenAI messages with the agent's own notes. An action is a call, or text in the answer. Several agents may share
// one history, and each reads only its own part. Ignored are `thought` and `action`, which repeat the answer, `trajectory`,
// which repeats the history, and `message_type`, `cache_control` and `tags`.

import { parseBoundedJson, type JsonObject, type JsonValue } from "../../../core/index.js";
import type { LogMessage, LogRun } from "../log-run.js";
import type { RepairLog } from "../repair.js";
import { isObject, listIn, malformed, toList, toName, toObject, toText } from "../foreign-json.js";
import { readOpenAiMessages } from "./openai.js";

const WHAT = "a SWE-agent trajectory";
/** Fields of a message that are the agent's notes on it. */
const NOTES: ReadonlySet<string> = new Set([
  ...["agent", "message_type", "is_demo", "thought", "action", "tool_call_ids", "cache_control", "tags"],
]);

/** Recognises a trajectory, or one with the `attempts` of a retrying agent. */
export function isSweAgent(record: JsonValue): boolean {
  return isObject(record) && [record, ...toList(record["attempts"])].some(isAttempt);
}

function isAttempt(record: JsonValue): boolean {
  return isObject(record) && Array.isArray(record["trajectory"]) && Array.isArray(record["history"]);
}

/** The conversation of every agent of every attempt, each as a trajectory of its own. */
export function splitSweAgent(record: JsonValue): JsonObject[] {
  const attempts = toList(toObject(record)["attempts"]);
  if (attempts.length === 0) return splitAgents(record, undefined);
  const { attempts: _, trajectory, history, info, ...head } = toObject(record);
  return attempts.flatMap((attempt, index) => {
    if (!isObject(attempt)) throw malformed(`it is not ${WHAT}: attempts ${index} must be an object`);
    return splitAgents({ ...head, ...attempt }, `attempt-${index + 1}`);
  });
}

function splitAgents(record: JsonValue, attempt: string | undefined): JsonObject[] {
  const byAgent = new Map<string, JsonValue[]>();
  for (const message of listIn(record, "history", WHAT)) {
    const agent = toText(toObject(message)["agent"]);
    const own = byAgent.get(agent);
    if (own === undefined) byAgent.set(agent, [message]);
    else own.push(message);
  }
  return [...byAgent].map(([agent, messages]) => {
    const names = [attempt, byAgent.size > 1 && agent !== "" ? agent : undefined].filter((name) => name !== undefined);
    return { ...toObject(record), history: messages, ...(names.length === 0 ? {} : { trial: names.join("-") }) };
  });
}

export function readSweAgent(record: JsonObject, repairs: RepairLog): LogRun {
  const { info, environment = null } = record;
  const history = listIn(record, "history", WHAT);
  const { exit_status = null, submission = null } = toObject(info);
  return {
    model: modelOf(record["replay_config"]),
    trial: toName(record["trial"]),
    // How the run ended, but not its cost, nor the files it edited, which its calls show.
    outcome: info === undefined ? undefined : { exit_status, submission, environment },
    messages: history.flatMap((message) => readMessage(message, repairs)),
  };
}

/** The settings are an object, or its JSON text. A replay of recorded actions names no model. */
function modelOf(config: JsonValue | undefined): string | undefined {
  const { agent } = toObject(typeof config === "string" ? parseJson(config) : config);
  const { name } = toObject(toObject(agent)["model"]);
  return typeof name === "string" && name !== "" ? name : undefined;
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return parseBoundedJson(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function readMessage(message: JsonValue, repairs: RepairLog): LogMessage[] {
  if (!isObject(message)) return readOpenAiMessages([message], repairs);
  const kept = Object.fromEntries(Object.entries(message).filter(([name]) => !NOTES.has(name)));
  const [callId, ...others] = toList(message["tool_call_ids"]);
  if (callId !== undefined) kept["tool_call_id"] = callId;
  repairs.add("field-dropped", others.length);
  const read = readOpenAiMessages([kept], repairs);
  if (message["is_demo"] !== true) return read;
  return read.map((each) => {
    if (each.role !== "assistant") return each;
    repairs.add("answer-not-model");
    return { ...each, notModel: true };
  });
}
