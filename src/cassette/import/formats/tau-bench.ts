// tau-bench results (sierra-research/tau-bench, `historical_trajectories/*.json`): {task_id, reward, info, traj, trial},
// where traj is a list of OpenAI messages. The records do not name the model.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { LogRun } from "../log-run.js";
import type { RepairLog } from "../repair.js";
import { isObject, listIn, toName, toObject } from "../foreign-json.js";
import { readOpenAiMessages } from "./openai.js";

export function isTauBench(record: JsonValue): boolean {
  return isObject(record) && Array.isArray(record["traj"]) && record["task_id"] !== undefined;
}

export function readTauBench(record: JsonObject, repairs: RepairLog): LogRun {
  const { task_id: id, trial, reward, info } = record;
  const messages = listIn(record, "traj", "a tau-bench result");
  const task = toName(id);
  const { actions } = toObject(toObject(info)["task"]);
  return {
    task: task && `task_${task}`,
    trial: toName(trial),
    outcome: reward === undefined ? undefined : { reward },
    expected: Array.isArray(actions) ? actions.map(toExpectedCall) : undefined,
    messages: readOpenAiMessages(messages, repairs),
  };
}

/** {name, kwargs} with our word for the arguments; anything else as it is. */
function toExpectedCall(action: JsonValue): JsonValue {
  if (!isObject(action)) return action;
  const { kwargs, ...rest } = action;
  return kwargs === undefined ? action : { ...rest, arguments: kwargs };
}
