// Model calls in the words of the AI SDK's telemetry (vercel/ai): the spans `ai.*.doGenerate` and `ai.*.doStream`, one for
// each call. The spans around them (`ai.generateText`, …) sum up a whole loop and are no calls.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import { toChatMessages } from "./chat.js";
import { requestSettings, type CallSpan } from "./genai.js";
import type { RepairLog } from "../repair.js";
import { unpackJson, type TracedCall } from "./traced-call.js";
import { isObject, toName, toNumber, toText } from "../value.js";

/** True for any span of the AI SDK. */
export function isAiSdk(attributes: JsonObject): boolean {
  return toText(attributes["ai.operationId"]).startsWith("ai.");
}

/** True for the span of a model call. */
export function isAiSdkCall(attributes: JsonObject): boolean {
  return isAiSdk(attributes) && /\.do(Generate|Stream)$/.test(toText(attributes["ai.operationId"]));
}

/** Reads one call. */
export function readAiSdk({ attributes, isFailed }: CallSpan, repairs: RepairLog): TracedCall {
  const model = toName(attributes["ai.response.model"]) ?? toName(attributes["ai.model.id"]);
  const finish = toName(attributes["ai.response.finishReason"]);
  const tools = attributes["ai.prompt.tools"];
  const choice = unpackJson(attributes["ai.prompt.toolChoice"], repairs);
  return {
    prompt: toChatMessages(unpackJson(attributes["ai.prompt.messages"], repairs), "user"),
    answer: readAnswer(attributes, repairs),
    isFailed,
    ...defined({ model, finish }),
    usage: readUsage(attributes),
    ...(Array.isArray(tools) ? { tools: tools.map((tool) => toTool(unpackJson(tool, repairs) ?? null)) } : {}),
    settings: { ...requestSettings(attributes), ...defined({ tool_choice: choice }) },
  };
}

function readAnswer(attributes: JsonObject, repairs: RepairLog): JsonObject[] {
  const text = attributes["ai.response.text"] ?? attributes["ai.response.object"];
  const calls = unpackJson(attributes["ai.response.toolCalls"], repairs);
  const thought = attributes["ai.response.reasoning"];
  if (text === undefined && calls === undefined) return [];
  const parts: JsonValue[] = [
    ...(typeof thought === "string" ? [{ type: "reasoning", text: thought }] : []),
    ...(typeof text === "string" && text !== "" ? [{ type: "text", text }] : []),
    ...(Array.isArray(calls) ? calls : []),
  ];
  return toChatMessages([{ role: "assistant", content: parts }], "assistant");
}

/** `{type: "function", name, description, inputSchema}`; older: `parameters`. */
function toTool(tool: JsonValue): JsonValue {
  if (!isObject(tool) || tool["inputSchema"] === undefined) return tool;
  const { inputSchema, ...rest } = tool;
  return { ...rest, parameters: inputSchema };
}

function readUsage(attributes: JsonObject): JsonObject {
  const count = (...names: string[]): number | undefined =>
    toNumber(names.map((name) => attributes[`ai.usage.${name}`]).find((value) => value !== undefined));
  const [prompt, completion] = [count("inputTokens", "promptTokens"), count("outputTokens", "completionTokens")];
  const [cached, reasoning] = [count("cachedInputTokens"), count("reasoningTokens")];
  return {
    ...defined({ prompt_tokens: prompt, completion_tokens: completion }),
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
