// Trace exports of Langfuse: `{trace, observations}`, as its UI gives them; inputs, outputs and metadata are JSON in text. A
// call is an observation of type GENERATION, in the words of whatever framework sent it.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { LogCalls } from "../trace/model-calls.js";
import { countAlternatives, takeTools, toChatMessages } from "../trace/chat.js";
import { toCost } from "../message/message.js";
import { createRepairLog, type RepairLog } from "../repair.js";
import { readRun, toRuns, type TraceNode } from "../trace/trace.js";
import { unpackJson, type TracedCall } from "../trace/traced-call.js";
import { isObject, toName, toText } from "../value.js";

/** True for an export of one trace. */
export function isLangfuse(record: JsonValue): boolean {
  return isObject(record) && isObject(record["trace"]) && Array.isArray(record["observations"]);
}

/** One run, or one for each agent that made calls. */
export function splitLangfuse(record: JsonValue): JsonObject[] {
  const { trace, observations } = record as JsonObject;
  const named = isObject(trace) ? toName(trace["name"]) : undefined;
  const nodes = (observations as JsonValue[]).filter(isObject).map(toNode);
  return toRuns(nodes, (root) => named ?? root.name);
}

/** Reads one run, as `splitLangfuse` gives it. */
export function readLangfuse(record: JsonObject, repairs: RepairLog): LogCalls {
  return readRun(record, repairs, readGeneration);
}

/** The messages that an observation of any type took and gave, and the tools it names. */
export function readObservation(
  observation: JsonObject,
  repairs: RepairLog = createRepairLog(),
): { prompt: JsonValue[]; answer: JsonObject[]; tools: JsonValue[] | undefined } {
  const input = unpackJson(observation["input"], repairs);
  const output = unpackJson(observation["output"], repairs);
  const listed = Array.isArray(input) ? takeTools(input) : undefined;
  const metadata = unpackJson(observation["metadata"], repairs);
  const tools = toolsOf(input, output, metadata, repairs);
  const told = listed !== undefined && listed.tools.length > 0 ? listed.tools : tools;
  return {
    prompt: [...instructionsOf(output), ...toChatMessages(listed?.messages ?? input, "user")],
    answer: toChatMessages(output, "assistant"),
    tools: told,
  };
}

function readGeneration(observation: JsonObject, repairs: RepairLog): TracedCall {
  const { prompt, answer, tools } = readObservation(observation, repairs);
  const settings = unpackJson(observation["modelParameters"], repairs);
  const output = unpackJson(observation["output"], repairs);
  const model = toName(observation["model"]);
  const cost = toCost(observation["totalCost"]);
  const finish = isObject(output) ? toName(output["finish_reason"]) : undefined;
  return {
    prompt,
    answer,
    alternatives: countAlternatives(output),
    isFailed: observation["level"] === "ERROR",
    ...defined({ model, finish }),
    usage: readUsage(observation),
    // Langfuse writes 0 where it knows no price.
    ...(cost === undefined || cost === 0 ? {} : { costUsd: cost }),
    ...defined({ tools }),
    settings: isObject(settings) ? readSettings(settings, repairs) : {},
  };
}

/** A Responses body says in its answer what it was told. */
function instructionsOf(output: JsonValue | undefined): JsonObject[] {
  const told = isObject(output) && output["object"] === "response" ? output["instructions"] : undefined;
  return typeof told === "string" && told !== "" ? [{ role: "system", content: told }] : [];
}

function toolsOf(
  input: JsonValue | undefined,
  output: JsonValue | undefined,
  metadata: JsonValue | undefined,
  repairs: RepairLog,
): JsonValue[] | undefined {
  const config = isObject(input) ? input["config"] : undefined;
  const attributes = isObject(metadata) && isObject(metadata["attributes"]) ? metadata["attributes"] : {};
  const lists = [
    ...[config, input, output].map((body) => (isObject(body) ? body["tools"] : undefined)),
    unpackJson(attributes["ai.prompt.tools"], repairs),
    unpackJson(attributes["gen_ai.tool.definitions"], repairs),
  ];
  const found = lists.find((list) => Array.isArray(list));
  if (!Array.isArray(found)) return undefined;
  return found.flatMap((item) => {
    const tool = unpackJson(item, repairs) ?? null;
    if (!isObject(tool)) return [tool];
    const { function_declarations: declared, inputSchema, ...rest } = tool;
    if (Array.isArray(declared)) return declared;
    return inputSchema === undefined ? [tool] : [{ ...rest, parameters: inputSchema }];
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

function readUsage(observation: JsonObject): JsonObject {
  const details = isObject(observation["usageDetails"]) ? observation["usageDetails"] : {};
  const [input, output] = [details["input"], details["output"]];
  const cached = details["prompt_details.cache_read"] ?? details["input_cached_tokens"];
  return {
    ...(typeof input === "number" ? { prompt_tokens: input } : {}),
    ...(typeof output === "number" ? { completion_tokens: output } : {}),
    ...(typeof cached === "number" ? { prompt_tokens_details: { cached_tokens: cached } } : {}),
  };
}

function toNode(observation: JsonObject): TraceNode {
  const { id, traceId, parentObservationId: parentId, name, startTime, type } = observation;
  return {
    traceId: toText(traceId),
    id: toText(id),
    ...(typeof parentId === "string" ? { parentId } : {}),
    name: toText(name),
    start: BigInt(Math.round(Date.parse(toText(startTime)) || 0)),
    isCall: type === "GENERATION",
    ...(type === "AGENT" && typeof name === "string" ? { agent: name } : {}),
    payload: observation,
  };
}
