// mini-swe-agent trajectories (`.traj.json`, `trajectory_format` "mini-swe-agent-1" and 1.1): {info, messages, …}, where the
// messages are OpenAI's with `extra` notes. The oldest files are the bare list of messages, which `openai-messages` reads too.
// Of `extra` only the tokens of the answer are read, not its time, its cost, or the vendor's answer again.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { LogMessage, LogRun } from "../log-run.js";
import { toUsage } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, listIn, toName, toObject, toText } from "../foreign-json.js";
import { readOpenAiMessages } from "./openai.js";

/** Recognises a trajectory that names its format, or has the agent's own notes on the run. */
export function isMiniSweAgent(record: JsonValue): boolean {
  if (!isObject(record) || !Array.isArray(record["messages"])) return false;
  const { trajectory_format: format, info } = record;
  return toText(format).startsWith("mini-swe-agent") || toObject(info)["mini_version"] !== undefined;
}

export function readMiniSweAgent(record: JsonObject, repairs: RepairLog): LogRun {
  const { info } = record;
  const messages = listIn(record, "messages", "a mini-swe-agent trajectory");
  const { config, exit_status = null, submission = null } = toObject(info);
  return {
    model: toName(toObject(toObject(config)["model"])["model_name"]),
    task: toName(record["instance_id"]),
    outcome: info === undefined ? undefined : { exit_status, submission },
    messages: messages.flatMap((message) => readMessage(message, repairs)),
  };
}

function readMessage(message: JsonValue, repairs: RepairLog): LogMessage[] {
  if (!isObject(message)) return readOpenAiMessages([message], repairs);
  const { extra, ...own } = message;
  const usage = toUsage(toObject(toObject(extra)["response"])["usage"]);
  const read = readOpenAiMessages([own], repairs);
  return read.map((each) => (each.role === "assistant" ? { ...each, usage: each.usage ?? usage } : each));
}
