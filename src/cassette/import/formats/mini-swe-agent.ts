// mini-swe-agent trajectories (`.traj.json`, `trajectory_format` "mini-swe-agent-1" and 1.1): {info, messages, …}, where the
// messages are OpenAI's with `extra` notes. The oldest files are the bare list of messages, which `openai-messages` reads too.
// Of `extra` the tokens of the answer are read; the rest (time, cost, the vendor's answer again) is left out knowingly.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { LogMessage, LogRun } from "../log.js";
import { toUsage } from "../message/message.js";
import { readOpenAiMessages } from "./openai.js";
import type { RepairLog } from "../repair.js";
import { isObject, malformed, toName, toText } from "../value.js";

/** True for a trajectory that says what it is, or has the agent's own account of the run. */
export function isMiniSweAgent(record: JsonValue): boolean {
  if (!isObject(record) || !Array.isArray(record["messages"])) return false;
  const { trajectory_format: format, info } = record;
  return toText(format).startsWith("mini-swe-agent") || (isObject(info) && info["mini_version"] !== undefined);
}

/** Reads one run. */
export function readMiniSweAgent(record: JsonObject, repairs: RepairLog): LogRun {
  const { messages, info } = record;
  if (!Array.isArray(messages)) throw malformed("it is no mini-swe-agent trajectory: it has no list of messages");
  const { config, exit_status: exitStatus = null, submission = null } = isObject(info) ? info : {};
  const settings = isObject(config) && isObject(config["model"]) ? config["model"] : {};
  const model = toName(settings["model_name"]);
  const task = toName(record["instance_id"]);
  return {
    ...defined({ model, task }),
    ...(info === undefined ? {} : { outcome: { exit_status: exitStatus, submission } }),
    messages: messages.flatMap((message) => readMessage(message, repairs)),
  };
}

function readMessage(message: JsonValue, repairs: RepairLog): LogMessage[] {
  if (!isObject(message)) return readOpenAiMessages([message], repairs);
  const { extra, ...said } = message;
  const read = readOpenAiMessages([said], repairs);
  const answer = isObject(extra) ? extra["response"] : undefined;
  const usage = isObject(answer) ? toUsage(answer["usage"]) : undefined;
  if (usage === undefined) return read;
  return read.map((own) => (own.role === "assistant" && own.usage === undefined ? { ...own, usage } : own));
}
