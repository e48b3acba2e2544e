// ATIF, the Agent Trajectory Interchange Format (Harbor's RFC 0001, versions 1.0 to 1.7): {schema_version, agent, steps}. A
// step is what a user, the system or the agent said; an agent's step also has its calls and what they gave back. Left out
// knowingly: times, `reasoning_effort`, `agent.version` and `agent.extra`, and of `metrics` all but the tokens.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue, Reasoning, Usage } from "../../../core/index.js";
import { toArguments } from "../message/calls.js";
import { readText, readUserContent, type ContentRules } from "../message/content.js";
import type { LogCall, LogMessage, LogRun } from "../log.js";
import { countDropped, keepUnknown, toCount } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { readTools } from "../message/tools.js";
import { isObject, malformed, toName, toText } from "../value.js";

const STEP_FIELDS = new Set([
  ...["step_id", "timestamp", "source", "model_name", "reasoning_effort", "message", "reasoning_content"],
  ...["tool_calls", "observation", "metrics", "is_copied_context", "llm_call_count"],
]);
const CALL_FIELDS = new Set(["tool_call_id", "function_name", "arguments"]);
const RESULT_FIELDS = new Set(["source_call_id", "content"]);
const OBSERVED = new Set(["results"]);
/** Side agents may have side agents of their own. */
const MAX_DEPTH = 16;

/** True for a trajectory: its version says so. */
export function isAtif(record: JsonValue): boolean {
  return isObject(record) && Array.isArray(record["steps"]) && toText(record["schema_version"]).startsWith("ATIF-");
}

/** A trajectory's stretches between context replacements, and those of the side agents inside it, each as a trajectory. */
export function splitAtif(record: JsonValue): JsonObject[] {
  if (!isObject(record) || !Array.isArray(record["steps"]))
    throw malformed("it is no ATIF trajectory: it has no steps");
  return splitTrajectory(record, undefined, 0);
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
  if (depth === MAX_DEPTH) throw malformed(`its side agents are nested deeper than ${MAX_DEPTH} levels`);
  const below = inner.flatMap((trajectory, index) => {
    if (!isObject(trajectory)) throw malformed(`subagent_trajectories ${index} is no object`);
    const own = toName(trajectory["trajectory_id"]) ?? toName(trajectory["session_id"]) ?? String(index + 1);
    return splitTrajectory({ ...trajectory, session_id: head["session_id"] ?? null }, `agent-${own}`, depth + 1);
  });
  return [...runs, ...below];
}

/** After a step that replaced the context, an agent knows nothing of what stands before it. */
function toStretches(steps: readonly JsonValue[]): JsonValue[][] {
  const stretches: JsonValue[][] = [[]];
  for (const [index, step] of steps.entries()) {
    stretches.at(-1)?.push(step);
    if (replacesContext(step) && index < steps.length - 1) stretches.push([]);
  }
  return stretches;
}

function replacesContext(step: JsonValue): boolean {
  const extra = isObject(step) ? step["extra"] : undefined;
  const management = isObject(extra) ? extra["context_management"] : undefined;
  return isObject(management) && management["boundary"] === "replace";
}

/** Reads one stretch of a trajectory. */
export function readAtif(record: JsonObject, repairs: RepairLog): LogRun {
  const { steps, agent, notes, final_metrics: metrics } = record;
  if (!Array.isArray(steps)) throw malformed("it is no ATIF trajectory: it has no steps");
  const head = isObject(agent) ? agent : {};
  const models = steps.map((step) => (isObject(step) ? toName(step["model_name"]) : undefined));
  const [model = toName(head["model_name"])] = models.filter((name) => name !== undefined);
  for (const other of models) if (other !== undefined && other !== model) repairs.add("model-differs");
  for (const name of ["extra", "continued_trajectory_ref"])
    countDropped({ [name]: record[name] ?? null }, NONE, repairs);
  const task = toName(record["session_id"]) ?? toName(record["trajectory_id"]);
  const trial = toName(record["trial"]);
  const tools = readTools(head["tool_definitions"], repairs);
  return {
    ...defined({ model, task, trial }),
    ...(notes === undefined && metrics === undefined
      ? {}
      : { outcome: { notes: notes ?? null, metrics: metrics ?? null } }),
    ...defined({ tools }),
    messages: steps.flatMap((step) => (isObject(step) ? readStep(step, repairs) : [keepUnknown(step, repairs)])),
  };
}

const NONE: ReadonlySet<string> = new Set();

function readStep(step: JsonObject, repairs: RepairLog): LogMessage[] {
  const rules: ContentRules = { repairs, listIsNative: true };
  const source = toText(step["source"]);
  if (source !== "user" && source !== "system" && source !== "agent") return [keepUnknown(step, repairs)];
  countDropped(step, STEP_FIELDS, repairs);
  const results = readResults(step, rules);
  switch (source) {
    case "user":
      return [{ role: "user", content: readUserContent(step["message"], rules) }, ...results];
    case "system":
      return [{ role: "system", content: readText(step["message"], rules) }, ...results];
    case "agent":
      return [readAgent(step, rules), ...results];
  }
}

function readAgent(step: JsonObject, rules: ContentRules): LogMessage {
  const { reasoning_content: thought, llm_call_count: asked } = step;
  const usage = toUsage(step["metrics"]);
  if (asked === 0) rules.repairs.add("answer-not-model");
  return {
    role: "assistant",
    content: readText(step["message"], rules),
    reasoning: readThought(thought, rules.repairs),
    calls: readCalls(step["tool_calls"], rules.repairs),
    ...defined({ usage }),
    ...(asked === 0 ? { notModel: true as const } : {}),
  };
}

function readThought(thought: JsonValue | undefined, repairs: RepairLog): Reasoning[] {
  if (typeof thought === "string") return thought === "" ? [] : [{ type: "text", text: thought }];
  countDropped({ thought: thought ?? null }, NONE, repairs);
  return [];
}

function readCalls(calls: JsonValue | undefined, repairs: RepairLog): LogCall[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) repairs.add("tool-calls-not-list");
  return (Array.isArray(calls) ? calls : [calls]).map((call) => readCall(call, repairs));
}

function readCall(call: JsonValue, repairs: RepairLog): LogCall {
  if (!isObject(call)) return { id: undefined, ...toArguments(call, repairs) };
  countDropped(call, CALL_FIELDS, repairs);
  const name = toName(call["function_name"]);
  return {
    id: call["tool_call_id"],
    ...defined({ name }),
    ...toArguments(call["arguments"], repairs),
  };
}

/** What came back: the results of the step's calls; without calls, what an agent that writes its actions as text is told. */
function readResults(step: JsonObject, rules: ContentRules): LogMessage[] {
  const { observation, tool_calls: calls } = step;
  const results = isObject(observation) ? observation["results"] : undefined;
  const hasCalls = Array.isArray(calls) ? calls.length > 0 : isObject(calls);
  countDropped(isObject(observation) ? observation : { observation: observation ?? null }, OBSERVED, rules.repairs);
  if (!Array.isArray(results)) countDropped({ results: results ?? null }, NONE, rules.repairs);
  return (Array.isArray(results) ? results : []).flatMap((result): LogMessage[] => {
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
function toUsage(metrics: JsonValue | undefined): Usage | undefined {
  if (!isObject(metrics)) return undefined;
  const inputTokens = toCount(metrics["prompt_tokens"]);
  const outputTokens = toCount(metrics["completion_tokens"]);
  const cacheReadTokens = toCount(metrics["cached_tokens"]);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, ...defined({ cacheReadTokens }) };
}
