// tau-bench results (sierra-research/tau-bench, `historical_trajectories/*.json`): {task_id, reward, info, traj, trial},
// where traj is a list of OpenAI messages. The records do not say which model answered.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { LogRun } from "../log.js";
import { readOpenAiMessages } from "./openai.js";
import type { RepairLog } from "../repair.js";
import { isObject, malformed, toName } from "../value.js";

/** True for a result as the benchmark writes it. */
export function isTauBench(record: JsonValue): boolean {
  return isObject(record) && Array.isArray(record["traj"]) && record["task_id"] !== undefined;
}

/** Reads one trial of one task. */
export function readTauBench(record: JsonObject, repairs: RepairLog): LogRun {
  const { task_id: id, traj, reward, info } = record;
  if (!Array.isArray(traj)) throw malformed("it is no tau-bench result: it has no list traj");
  const task = toName(id);
  const trial = toName(record["trial"]);
  const actions = isObject(info) && isObject(info["task"]) ? info["task"]["actions"] : undefined;
  return {
    ...(task === undefined ? {} : { task: `task_${task}` }),
    ...defined({ trial }),
    ...(reward === undefined ? {} : { outcome: { reward } }),
    ...(Array.isArray(actions) ? { expected: actions.map(toExpectedCall) } : {}),
    messages: readOpenAiMessages(traj, repairs),
  };
}

/** {name, kwargs} in our words; anything else as it is. */
function toExpectedCall(action: JsonValue): JsonValue {
  if (!isObject(action)) return action;
  const { kwargs, ...rest } = action;
  return kwargs === undefined ? action : { ...rest, arguments: kwargs };
}
