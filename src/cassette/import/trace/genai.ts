// Model calls in the words of OpenTelemetry's GenAI semantic conventions: `gen_ai.input.messages`/`gen_ai.output.messages`
// (1.37), events of a message each (1.28 to 1.36), and the `gen_ai.prompt.N.*`/`gen_ai.completion.N.*` of OpenLLMetry.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { RepairLog } from "../repair.js";
import { isObject, toList, toName, toNumber, toObject, toText } from "../foreign-json.js";
import { toChatMessages } from "./chat.js";
import { nestBelow } from "./span.js";
import { numberIn, toTracedUsage, unpackJson, type TracedCall } from "./traced-call.js";

/** A span without its place in a trace. */
export interface CallSpan {
  attributes: JsonObject;
  events: JsonObject[];
  isFailed: boolean;
}

const OPERATIONS = new Set(["chat", "text_completion", "generate_content", "completion"]);

export function isGenAi(attributes: JsonObject): boolean {
  const operation = attributes["gen_ai.operation.name"] ?? attributes["llm.request.type"];
  if (operation !== undefined) return OPERATIONS.has(toText(operation));
  return attributes["gen_ai.request.model"] !== undefined && attributes["gen_ai.usage.output_tokens"] !== undefined;
}

export function readGenAi(span: CallSpan, repairs: RepairLog): TracedCall {
  const details = span.events.find(({ name }) => name === "gen_ai.client.inference.operation.details");
  const attributes = { ...span.attributes, ...toObject(details?.["attributes"]) };
  const { prompt, answers } = readMessages(attributes, span.events, repairs);
  const reasons = attributes["gen_ai.response.finish_reasons"];
  const tools = unpackJson(attributes["gen_ai.tool.definitions"], repairs) ?? readFunctions(attributes, repairs);
  return {
    prompt,
    answer: answers.slice(0, 1).flatMap((answer) => toChatMessages(answer, "assistant")),
    alternatives: answers.length - 1,
    isFailed: span.isFailed,
    model: toName(attributes["gen_ai.response.model"]) ?? toName(attributes["gen_ai.request.model"]),
    finish: toName(toObject(answers[0])["finish_reason"]) ?? toName(toList(reasons)[0]),
    // The conventions count cached tokens inside `input_tokens`.
    usage: toTracedUsage({
      input: numberIn(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
      output: numberIn(attributes, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
      cached: toNumber(
        attributes["gen_ai.usage.cache_read.input_tokens"] ?? attributes["gen_ai.usage.cache_read_input_tokens"],
      ),
    }),
    tools: Array.isArray(tools) ? tools : undefined,
    settings: requestSettings(attributes),
  };
}

interface Exchange {
  prompt: JsonValue[];
  answers: JsonValue[];
}

function readMessages(attributes: JsonObject, events: readonly JsonObject[], repairs: RepairLog): Exchange {
  const input = unpackJson(attributes["gen_ai.input.messages"], repairs);
  const output = unpackJson(attributes["gen_ai.output.messages"], repairs);
  if (input !== undefined || output !== undefined) {
    const system = unpackJson(attributes["gen_ai.system_instructions"], repairs);
    // Each part is an instruction of its own.
    const instructions = Array.isArray(system) ? system.map((part) => [part]) : [system];
    const first = instructions.flatMap((content) => (content === undefined ? [] : [{ role: "system", content }]));
    return {
      prompt: [...toChatMessages(first, "user"), ...toChatMessages(input, "user")],
      answers: Array.isArray(output) ? output : [output ?? null],
    };
  }
  const indexed = nestBelow(attributes, "gen_ai.prompt");
  const completion = nestBelow(attributes, "gen_ai.completion");
  if (indexed !== undefined || completion !== undefined) {
    const unpack = (message: JsonValue): JsonValue => unpackContent(message, repairs);
    return { prompt: toChatMessages(toList(indexed).map(unpack), "user"), answers: toList(completion).map(unpack) };
  }
  return readEvents([...events, ...embeddedEvents(attributes, repairs)], repairs);
}

/** OpenLLMetry writes content that is a list as JSON text. */
function unpackContent(message: JsonValue, repairs: RepairLog): JsonValue {
  if (!isObject(message)) return message;
  const content = unpackJson(message["content"], repairs);
  return Array.isArray(content) ? { ...message, content } : message;
}

/** Pydantic AI keeps the events of a span in one of its attributes. */
function embeddedEvents(attributes: JsonObject, repairs: RepairLog): JsonObject[] {
  const list = toList(unpackJson(attributes["events"], repairs)).filter(isObject);
  return list.map((event) => ({ name: event["event.name"] ?? null, attributes: event }));
}

function readEvents(events: readonly JsonObject[], repairs: RepairLog): Exchange {
  const prompt: JsonValue[] = [];
  const answers: JsonValue[] = [];
  for (const { name, attributes } of events) {
    const body = toObject(attributes);
    const [, role] = /^gen_ai\.(system|user|assistant|tool)\.message$/.exec(toText(name)) ?? [];
    const fields = unpackFields(body, repairs);
    if (name === "gen_ai.choice") answers.push(isObject(fields["message"]) ? fields["message"] : fields);
    else if (name === "gen_ai.content.completion") answers.push(unpackJson(body["gen_ai.completion"], repairs) ?? null);
    else if (name === "gen_ai.content.prompt") {
      prompt.push(...toChatMessages(unpackJson(body["gen_ai.prompt"], repairs), "user"));
    } else if (role !== undefined) {
      prompt.push(...toChatMessages([{ ...fields, role: fields["role"] ?? role }], "user"));
    }
  }
  return { prompt, answers: answers.flatMap((answer) => (Array.isArray(answer) ? answer : [answer])) };
}

function unpackFields(body: JsonObject, repairs: RepairLog): JsonObject {
  const result: JsonObject = {};
  for (const field of ["role", "content", "tool_calls", "message", "id", "name", "finish_reason"]) {
    const value = body[field];
    if (value !== undefined) result[field] = field === "content" ? value : (unpackJson(value, repairs) ?? null);
  }
  return result;
}

/** `gen_ai.request.*`, which the AI SDK sets next to its own words. */
export function requestSettings(attributes: JsonObject): JsonObject {
  const below = Object.entries(attributes).filter(([name]) => name.startsWith("gen_ai.request."));
  return Object.fromEntries(below.map(([name, value]) => [name.slice("gen_ai.request.".length), value]));
}

/** OpenLLMetry's `llm.request.functions.N.*`. */
function readFunctions(attributes: JsonObject, repairs: RepairLog): JsonValue | undefined {
  const list = nestBelow(attributes, "llm.request.functions");
  if (!Array.isArray(list)) return undefined;
  return list.map((tool) =>
    isObject(tool) ? { ...tool, parameters: unpackJson(tool["parameters"], repairs) ?? {} } : tool,
  );
}
