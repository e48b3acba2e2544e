// Trace exports of Langfuse: `{trace, observations}`, as its UI gives them. Inputs, outputs and metadata are JSON in text. A call
// is an observation of type GENERATION, in the words of the framework that sent it.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { createRepairLog, type RepairLog } from "../repair.js";
import { countAlternatives, takeTools, toChatMessages } from "../trace/chat.js";
import type { LogCalls } from "../trace/model-calls.js";
import { readRun, toRuns, type TraceNode } from "../trace/trace.js";
import { toTracedUsage, unpackJson, type TracedCall } from "../trace/traced-call.js";
import { isObject, toCount, toName, toObject, toText } from "../foreign-json.js";

export function isLangfuse(record: JsonValue): boolean {
  return isObject(record) && isObject(record["trace"]) && Array.isArray(record["observations"]);
}

export function splitLangfuse(record: JsonValue): JsonObject[] {
  const { trace, observations } = record as JsonObject;
  const named = toName(toObject(trace)["name"]);
  const nodes = (observations as JsonValue[]).filter(isObject).map(toNode);
  return toRuns(nodes, (root) => named ?? root.name);
}

export function readLangfuse(record: JsonObject, repairs: RepairLog): LogCalls {
  return readRun(record, repairs, readGeneration);
}

/** The messages of an observation of any type, and the tools it names. */
export function readObservation(
  observation: JsonObject,
  repairs: RepairLog = createRepairLog(),
): { prompt: JsonValue[]; answer: JsonObject[]; tools: JsonValue[] | undefined } {
  const input = unpackJson(observation["input"], repairs);
  const output = unpackJson(observation["output"], repairs);
  const listed = Array.isArray(input) ? takeTools(input) : undefined;
  const metadata = unpackJson(observation["metadata"], repairs);
  const tools = toolsOf(input, output, metadata, repairs);
  return {
    prompt: [...instructionsOf(output), ...toChatMessages(listed?.messages ?? input, "user")],
    answer: toChatMessages(output, "assistant"),
    tools: listed !== undefined && listed.tools.length > 0 ? listed.tools : tools,
  };
}

function readGeneration(observation: JsonObject, repairs: RepairLog): TracedCall {
  const settings = unpackJson(observation["modelParameters"], repairs);
  const output = unpackJson(observation["output"], repairs);
  const details = toObject(observation["usageDetails"]);
  return {
    ...readObservation(observation, repairs),
    alternatives: countAlternatives(output),
    isFailed: observation["level"] === "ERROR",
    model: toName(observation["model"]),
    finish: toName(toObject(output)["finish_reason"]),
    usage: toTracedUsage({
      input: details["input"],
      output: details["output"],
      cached: details["prompt_details.cache_read"] ?? details["input_cached_tokens"],
    }),
    // Langfuse writes 0 where it knows no price.
    costUsd: toCount(observation["totalCost"]) || undefined,
    settings: readSettings(toObject(settings), repairs),
  };
}

/** The body of a Responses answer repeats its instructions. */
function instructionsOf(output: JsonValue | undefined): JsonObject[] {
  const { object, instructions } = toObject(output);
  const isGiven = object === "response" && typeof instructions === "string" && instructions !== "";
  return isGiven ? [{ role: "system", content: instructions }] : [];
}

function toolsOf(
  input: JsonValue | undefined,
  output: JsonValue | undefined,
  metadata: JsonValue | undefined,
  repairs: RepairLog,
): JsonValue[] | undefined {
  const attributes = toObject(toObject(metadata)["attributes"]);
  const lists = [
    ...[toObject(input)["config"], input, output].map((body) => toObject(body)["tools"]),
    unpackJson(attributes["ai.prompt.tools"], repairs),
    unpackJson(attributes["gen_ai.tool.definitions"], repairs),
  ];
  const found = lists.find((list) => Array.isArray(list));
  return found?.flatMap((item) => {
    const tool = unpackJson(item, repairs) ?? null;
    const declared = toObject(tool)["function_declarations"];
    return Array.isArray(declared) ? declared : [tool];
  });
}

/** Values are text, and what is unset is null, "" or -1. */
function readSettings(settings: JsonObject, repairs: RepairLog): JsonObject {
  const own: JsonObject = {};
  for (const [name, value] of Object.entries(settings)) {
    const plain = unpackJson(value, repairs) ?? null;
    const isUnset = plain === "false" || plain === -1 || plain === "-1" || (isObject(plain) && "arrayValue" in plain);
    if (!isUnset) own[name] = plain;
  }
  return own;
}

function toNode(observation: JsonObject): TraceNode {
  const { id, traceId, parentObservationId: parentId, name, startTime, type } = observation;
  return {
    traceId: toText(traceId),
    id: toText(id),
    parentId: typeof parentId === "string" ? parentId : undefined,
    name: toText(name),
    start: BigInt(Math.round(Date.parse(toText(startTime)) || 0)),
    isCall: type === "GENERATION",
    agent: type === "AGENT" && typeof name === "string" ? name : undefined,
    payload: observation,
  };
}
