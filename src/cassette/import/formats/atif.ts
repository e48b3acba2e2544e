// ATIF, the Agent Trajectory Interchange Format (Harbor's RFC 0001, versions 1.0 to 1.7): {schema_version, agent, steps}. A
// step is a message of a user, the system or the agent; an agent's step also has its calls and their results. Ignored are
// times, `reasoning_effort`, `agent.version`, `agent.extra`, and everything in `metrics` except the tokens.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { MAX_AGENT_DEPTH } from "../../limits.js";
import type { LogMessage, LogRun } from "../log-run.js";
import { readCalls, type CallWords } from "../message/calls.js";
import { readText, readUserContent } from "../message/content.js";
import { countDropped, countValue, keepUnknown, type ContentRules } from "../message/message.js";
import { readTools } from "../message/tools.js";
import type { RepairLog } from "../repair.js";
import { toTracedUsage } from "../trace/traced-call.js";
import { isObject, listIn, malformed, toList, toName, toObject, toText } from "../foreign-json.js";

const WHAT = "an ATIF trajectory";
const STEP_FIELDS = new Set([
  ...["step_id", "timestamp", "source", "model_name", "reasoning_effort", "message", "reasoning_content"],
  ...["tool_calls", "observation", "metrics", "is_copied_context", "llm_call_count"],
]);
const CALL: CallWords = { id: "tool_call_id", name: "function_name", arguments: "arguments" };
const RESULT_FIELDS = new Set(["source_call_id", "content"]);
const OBSERVED = new Set(["results"]);

export function isAtif(record: JsonValue): boolean {
  return isObject(record) && Array.isArray(record["steps"]) && toText(record["schema_version"]).startsWith("ATIF-");
}

/** A trajectory's stretches between context replacements, and those of the side agents inside it, each as a trajectory. */
export function splitAtif(record: JsonValue): JsonObject[] {
  listIn(record, "steps", WHAT);
  return splitTrajectory(toObject(record), undefined, 0);
}

function splitTrajectory(record: JsonObject, name: string | undefined, depth: number): JsonObject[] {
  const { steps, subagent_trajectories: inner, ...head } = record;
  const stretches = Array.isArray(steps) ? toStretches(steps) : [];
  const runs = stretches.map((stretch, index): JsonObject => {
    const part = index === 0 ? undefined : `part-${index + 1}`;
    const trial = [name, part].filter((word) => word !== undefined).join("-");
    return { ...head, steps: stretch, ...(trial === "" ? {} : { trial }) };
  });
  if (!Array.isArray(inner)) return runs;
  if (depth === MAX_AGENT_DEPTH) throw malformed(`its side agents are nested deeper than ${MAX_AGENT_DEPTH} levels`);
  const below = inner.flatMap((trajectory, index) => {
    if (!isObject(trajectory)) throw malformed(`subagent_trajectories ${index} must be an object`);
    const own = toName(trajectory["trajectory_id"]) ?? toName(trajectory["session_id"]) ?? String(index + 1);
    return splitTrajectory({ ...trajectory, session_id: head["session_id"] ?? null }, `agent-${own}`, depth + 1);
  });
  return [...runs, ...below];
}

/** Cuts after each step that replaced the context: the agent no longer knows anything before it. */
function toStretches(steps: readonly JsonValue[]): JsonValue[][] {
  const stretches: JsonValue[][] = [[]];
  for (const [index, step] of steps.entries()) {
    stretches.at(-1)?.push(step);
    const { context_management: management } = toObject(toObject(step)["extra"]);
    if (toObject(management)["boundary"] === "replace" && index < steps.length - 1) stretches.push([]);
  }
  return stretches;
}

export function readAtif(record: JsonObject, repairs: RepairLog): LogRun {
  const { agent, notes, final_metrics: metrics } = record;
  const steps = listIn(record, "steps", WHAT);
  const head = toObject(agent);
  const models = steps.map((step) => toName(toObject(step)["model_name"])).filter((name) => name !== undefined);
  const [model = toName(head["model_name"])] = models;
  repairs.add("model-differs", models.filter((other) => other !== model).length);
  for (const name of ["extra", "continued_trajectory_ref"]) countValue(record[name], repairs);
  const hasOutcome = notes !== undefined || metrics !== undefined;
  return {
    model,
    task: toName(record["session_id"]) ?? toName(record["trajectory_id"]),
    trial: toName(record["trial"]),
    outcome: hasOutcome ? { notes: notes ?? null, metrics: metrics ?? null } : undefined,
    tools: readTools(head["tool_definitions"], repairs),
    messages: steps.flatMap((step) => readStep(step, repairs)),
  };
}

function readStep(step: JsonValue, repairs: RepairLog): LogMessage[] {
  const rules: ContentRules = { repairs, listIsNative: true };
  const { source, message } = toObject(step);
  if (!isObject(step) || (source !== "user" && source !== "system" && source !== "agent")) {
    return [keepUnknown(step, repairs)];
  }
  countDropped(step, STEP_FIELDS, repairs);
  const results = readResults(step, rules);
  switch (source) {
    case "user":
      return [{ role: "user", content: readUserContent(message, rules) }, ...results];
    case "system":
      return [{ role: "system", content: readText(message, rules) }, ...results];
    case "agent":
      return [readAgent(step, rules), ...results];
  }
}

function readAgent(step: JsonObject, rules: ContentRules): LogMessage {
  const { message, reasoning_content: thought, llm_call_count: modelCalls, tool_calls: calls, metrics } = step;
  if (typeof thought !== "string") countValue(thought, rules.repairs);
  if (modelCalls === 0) rules.repairs.add("answer-not-model");
  return {
    role: "assistant",
    content: readText(message, rules),
    reasoning: toText(thought) === "" ? [] : [{ type: "text", text: toText(thought) }],
    calls: readCalls(calls, CALL, rules.repairs),
    usage: readUsage(toObject(metrics)),
    notModel: modelCalls === 0,
  };
}

/** Reads the results of a step's calls. Without calls they are what an agent that writes its actions as text reads next. */
function readResults(step: JsonObject, rules: ContentRules): LogMessage[] {
  const { observation, tool_calls: calls } = step;
  const { results } = toObject(observation);
  const hasCalls = Array.isArray(calls) ? calls.length > 0 : isObject(calls);
  if (isObject(observation)) countDropped(observation, OBSERVED, rules.repairs);
  else countValue(observation, rules.repairs);
  if (!Array.isArray(results)) countValue(results, rules.repairs);
  return toList(results).flatMap((result): LogMessage[] => {
    if (!isObject(result)) return [keepUnknown(result, rules.repairs)];
    countDropped(result, RESULT_FIELDS, rules.repairs);
    const { content, source_call_id: callId } = result;
    if (hasCalls || toName(callId) !== undefined) {
      return [{ role: "tool", callId, content: readText(content, rules), isError: false }];
    }
    if (content === undefined || content === null) return [];
    rules.repairs.add("observation-as-user");
    return [{ role: "user", content: readUserContent(content, rules) }];
  });
}

/** ATIF counts cached tokens inside `prompt_tokens`. */
function readUsage({ prompt_tokens: input, completion_tokens: output, cached_tokens: cached }: JsonObject) {
  return toTracedUsage({ input, output, cached });
}
