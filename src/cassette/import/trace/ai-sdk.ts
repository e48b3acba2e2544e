// Model calls in the AI SDK's telemetry (vercel/ai): the spans `ai.*.doGenerate` and `ai.*.doStream`, one for each call. The
// spans around them (`ai.generateText`, …) sum up a whole loop and are not calls.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { RepairLog } from "../repair.js";
import { toName, toText } from "../foreign-json.js";
import { toChatMessages } from "./chat.js";
import { requestSettings, type CallSpan } from "./genai.js";
import { numberIn, toTracedUsage, unpackJson, type TracedCall } from "./traced-call.js";

export function isAiSdk(attributes: JsonObject): boolean {
  return toText(attributes["ai.operationId"]).startsWith("ai.");
}

export function isAiSdkCall(attributes: JsonObject): boolean {
  return isAiSdk(attributes) && /\.do(Generate|Stream)$/.test(toText(attributes["ai.operationId"]));
}

export function readAiSdk({ attributes, isFailed }: CallSpan, repairs: RepairLog): TracedCall {
  const tools = attributes["ai.prompt.tools"];
  const choice = unpackJson(attributes["ai.prompt.toolChoice"], repairs);
  return {
    prompt: toChatMessages(unpackJson(attributes["ai.prompt.messages"], repairs), "user"),
    answer: readAnswer(attributes, repairs),
    isFailed,
    model: toName(attributes["ai.response.model"]) ?? toName(attributes["ai.model.id"]),
    finish: toName(attributes["ai.response.finishReason"]),
    usage: toTracedUsage({
      input: numberIn(attributes, "ai.usage.inputTokens", "ai.usage.promptTokens"),
      output: numberIn(attributes, "ai.usage.outputTokens", "ai.usage.completionTokens"),
      cached: numberIn(attributes, "ai.usage.cachedInputTokens"),
      reasoning: numberIn(attributes, "ai.usage.reasoningTokens"),
    }),
    tools: Array.isArray(tools) ? tools.map((tool) => unpackJson(tool, repairs) ?? null) : undefined,
    settings: { ...requestSettings(attributes), ...(choice === undefined ? {} : { tool_choice: choice }) },
  };
}

function readAnswer(attributes: JsonObject, repairs: RepairLog): JsonObject[] {
  const text = attributes["ai.response.text"] ?? attributes["ai.response.object"];
  const calls = unpackJson(attributes["ai.response.toolCalls"], repairs);
  const thought = attributes["ai.response.reasoning"];
  if (text === undefined && calls === undefined) return [];
  const content: JsonValue[] = [
    ...(typeof thought === "string" ? [{ type: "reasoning", text: thought }] : []),
    ...(typeof text === "string" && text !== "" ? [{ type: "text", text }] : []),
    ...(Array.isArray(calls) ? calls : []),
  ];
  return toChatMessages([{ role: "assistant", content }], "assistant");
}
