// Model calls in the words of OpenInference (Arize): `llm.input_messages.N.message.*`, `llm.output_messages.N.message.*`,
// and `input.value`/`output.value` where a span has only those.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { RepairLog } from "../repair.js";
import { isObject, toList, toName, toObject } from "../foreign-json.js";
import { countAlternatives, toChatMessages } from "./chat.js";
import type { CallSpan } from "./genai.js";
import { nestBelow } from "./span.js";
import { numberIn, toTracedUsage, unpackJson, type TracedCall } from "./traced-call.js";

export function isOpenInference(attributes: JsonObject): boolean {
  return attributes["openinference.span.kind"] === "LLM";
}

export function readOpenInference({ attributes, isFailed }: CallSpan, repairs: RepairLog): TracedCall {
  const settings = unpackJson(attributes["llm.invocation_parameters"], repairs);
  const input = readList(nestBelow(attributes, "llm.input_messages"));
  const output = readList(nestBelow(attributes, "llm.output_messages"));
  const tools = nestBelow(attributes, "llm.tools");
  const rawOutput = (): JsonValue | undefined => unpackJson(attributes["output.value"], repairs);
  const answers = output ?? [rawOutput() ?? null];
  return {
    prompt: toChatMessages(input ?? unpackJson(attributes["input.value"], repairs), "user"),
    answer: answers.slice(0, 1).flatMap((answer) => toChatMessages(answer, "assistant")),
    alternatives: output === undefined ? countAlternatives(answers[0]) : answers.length - 1,
    isFailed,
    model: toName(attributes["llm.model_name"]),
    // Some frameworks keep the reason only in the raw output.
    finish: toName(attributes["llm.finish_reason"]) ?? finishIn(rawOutput()),
    usage: toTracedUsage({
      input: numberIn(attributes, "llm.token_count.prompt"),
      output: numberIn(attributes, "llm.token_count.completion"),
      cached: numberIn(attributes, "llm.token_count.prompt_details.cache_read"),
      reasoning: numberIn(attributes, "llm.token_count.completion_details.reasoning"),
    }),
    tools: Array.isArray(tools) ? tools.map((tool) => toTool(tool, repairs)) : undefined,
    settings: toObject(settings),
  };
}

function readList(list: JsonValue | undefined): JsonValue[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((item) => toMessage(toObject(item)["message"] ?? item));
}

function toMessage(message: JsonValue): JsonValue {
  if (!isObject(message)) return message;
  const { contents, tool_calls: calls, ...rest } = message;
  return {
    ...rest,
    ...(Array.isArray(contents) ? { content: contents.map(toPart) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map((call) => toObject(call)["tool_call"] ?? call) } : {}),
  };
}

function toPart(part: JsonValue): JsonValue {
  const content = toObject(part)["message_content"];
  if (!isObject(content)) return part;
  const { url } = toObject(toObject(content["image"])["image"]);
  return url === undefined ? content : { type: "image_url", image_url: { url } };
}

function toTool(tool: JsonValue, repairs: RepairLog): JsonValue {
  const inner = toObject(tool)["tool"];
  const body = isObject(inner) ? inner : tool;
  return unpackJson(toObject(body)["json_schema"], repairs) ?? body;
}

function finishIn(raw: JsonValue | undefined): string | undefined {
  const { finish_reason: finish } = toObject(toList(toObject(raw)["choices"])[0]);
  return typeof finish === "string" ? toName(finish) : undefined;
}
