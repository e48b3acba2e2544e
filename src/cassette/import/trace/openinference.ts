// Model calls in the words of OpenInference (Arize): `llm.input_messages.N.message.*`, `llm.output_messages.N.message.*`,
// and `input.value`/`output.value` where a span has only those.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import { countAlternatives, toChatMessages } from "./chat.js";
import type { CallSpan } from "./genai.js";
import type { RepairLog } from "../repair.js";
import { nestBelow } from "./span.js";
import { unpackJson, type TracedCall } from "./traced-call.js";
import { isObject, toName, toNumber, toText } from "../value.js";

/** True for the span of a model call in these words. */
export function isOpenInference(attributes: JsonObject): boolean {
  return attributes["openinference.span.kind"] === "LLM";
}

/** Reads one call. */
export function readOpenInference({ attributes, isFailed }: CallSpan, repairs: RepairLog): TracedCall {
  const settings = unpackJson(attributes["llm.invocation_parameters"], repairs);
  const model = toName(attributes["llm.model_name"]);
  const input = readList(nestBelow(attributes, "llm.input_messages"));
  const output = readList(nestBelow(attributes, "llm.output_messages"));
  const tools = nestBelow(attributes, "llm.tools");
  const told = Array.isArray(tools) ? tools.flatMap((tool) => toTool(tool, repairs)) : undefined;
  const answers = output ?? [unpackJson(attributes["output.value"], repairs) ?? null];
  return {
    prompt: toChatMessages(input ?? unpackJson(attributes["input.value"], repairs), "user"),
    answer: answers.slice(0, 1).flatMap((answer) => toChatMessages(answer, "assistant")),
    alternatives: output === undefined ? countAlternatives(answers[0]) : answers.length - 1,
    isFailed,
    ...defined({ model }),
    ...toFinish(attributes, repairs),
    usage: readUsage(attributes),
    ...defined({ tools: told }),
    settings: isObject(settings) ? settings : {},
  };
}

function readList(list: JsonValue | undefined): JsonValue[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((item) => toMessage(isObject(item) ? (item["message"] ?? item) : item));
}

function toMessage(message: JsonValue): JsonValue {
  if (!isObject(message)) return message;
  const { contents, tool_calls: calls, ...rest } = message;
  return {
    ...rest,
    ...(Array.isArray(contents) ? { content: contents.map(toPart) } : {}),
    ...(Array.isArray(calls)
      ? { tool_calls: calls.map((call) => (isObject(call) ? (call["tool_call"] ?? call) : call)) }
      : {}),
  };
}

function toPart(part: JsonValue): JsonValue {
  const content = isObject(part) ? part["message_content"] : undefined;
  if (!isObject(content)) return part;
  const image = content["image"];
  const url = isObject(image) && isObject(image["image"]) ? image["image"]["url"] : undefined;
  return url === undefined ? content : { type: "image_url", image_url: { url } };
}

function toTool(tool: JsonValue, repairs: RepairLog): JsonValue[] {
  const body = isObject(tool) && isObject(tool["tool"]) ? tool["tool"] : tool;
  return isObject(body) ? [unpackJson(body["json_schema"], repairs) ?? body] : [body];
}

/** Only in the raw output, and there only where the framework keeps it. */
function toFinish(attributes: JsonObject, repairs: RepairLog): { finish?: string } {
  const direct = toName(attributes["llm.finish_reason"]);
  if (direct !== undefined) return { finish: direct };
  const raw = unpackJson(attributes["output.value"], repairs);
  const choices = isObject(raw) ? raw["choices"] : undefined;
  const first = Array.isArray(choices) && isObject(choices[0]) ? toText(choices[0]["finish_reason"]) : "";
  return first === "" ? {} : { finish: first };
}

function readUsage(attributes: JsonObject): JsonObject {
  const count = (name: string): number | undefined => toNumber(attributes[`llm.token_count.${name}`]);
  const [prompt, completion] = [count("prompt"), count("completion")];
  const [cached, reasoning] = [count("prompt_details.cache_read"), count("completion_details.reasoning")];
  return {
    ...defined({ prompt_tokens: prompt, completion_tokens: completion }),
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
