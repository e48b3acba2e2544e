// The items of one answer as one message of ours, and back. Ours has a fixed order (reasoning, text, calls) and one text. Items that
// hold more, such as an id, leave a `layout` in the extras: the items, without what the message holds anyway.

import {
  argumentsText,
  toArguments,
  type AssistantMessage,
  type JsonObject,
  type LlmToolCall,
  type Reasoning,
} from "../../../core/index.js";
import { asText, assistantMessage, toJson, toLoose, type Loose } from "../loose.js";
import { extrasOf, withExtras } from "./extras.js";

/** The field of an item for reasoning that is more than a text. */
const OWN_KEY = "playhead";

/** True for an item of the assistant. An item without a type is a message. */
export function isAssistantItem(item: Loose): boolean {
  const { type = "message", role } = item;
  if (type === "message") return role === "assistant";
  return !asText(type).endsWith("_result") && !/^(shell|apply_patch)_call_output$/.test(asText(type));
}

export function readAssistant(items: readonly Loose[]): AssistantMessage {
  const texts = items.flatMap(textsOf);
  const calls = items.flatMap((item) => (item["type"] === "function_call" ? [readCall(item)] : []));
  const reasoning = items.flatMap((item) => (item["type"] === "reasoning" ? [readReasoning(item)] : []));
  const message = assistantMessage(texts.join(""), calls, reasoning);
  const clean = items.map((item) => toJson(item) as JsonObject);
  const layout = clean.map((item) => strip(item, texts.length === 1));
  const plain = writeAssistant(message).map((item) => strip(item, true));
  return stableText(layout) === stableText(plain) ? message : withExtras(message, { layout });
}

function textsOf(item: Loose): string[] {
  if (!isMessage(item)) return [];
  return contentOf(item).flatMap((part) => textOf(part) ?? []);
}

function textOf(part: Loose): string | undefined {
  if (part["type"] === "output_text") return asText(part["text"]);
  return part["type"] === "refusal" ? asText(part["refusal"]) : undefined;
}

function isMessage({ type = "message" }: Loose): boolean {
  return type === "message";
}

function contentOf(item: Loose): Loose[] {
  return Array.isArray(item["content"]) ? item["content"].map(toLoose) : [];
}

function readCall(item: Loose): LlmToolCall {
  return { id: asText(item["callId"]), name: asText(item["name"]), ...toArguments(item["arguments"]) };
}

function readReasoning(item: Loose): Reasoning {
  const own = toLoose(item["providerData"])[OWN_KEY];
  if (typeof own === "object" && own !== null) return own as Reasoning;
  const summaries = contentOf(item);
  const raw = Array.isArray(item["rawContent"]) ? item["rawContent"].map(toLoose) : [];
  const shown = summaries.length === 0 ? raw : summaries;
  return { type: "text", text: shown.map((part) => asText(part["text"])).join("\n") };
}

function strip(item: JsonObject, isOnlyText: boolean): JsonObject {
  if (item["type"] === "function_call") {
    const { arguments: _, callId: _callId, name: _name, ...rest } = item;
    return rest;
  }
  if (!isMessage(item) || !isOnlyText) return item;
  const content = contentOf(item).map((part) => {
    const { text: _, refusal: _refusal, ...rest } = part;
    return textOf(part) === undefined ? part : rest;
  });
  return { ...item, content: content as JsonObject[] };
}

/** JSON with sorted keys, since a file may have them in another order. */
function stableText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** Writes the items. A layout that does not fit its message, as after an edit by hand, is ignored. */
export function writeAssistant(message: AssistantMessage): JsonObject[] {
  const laidOut = restore(message);
  if (laidOut !== undefined) return laidOut;
  const { content, toolCalls = [], reasoning = [] } = message;
  return [
    ...reasoning.map(writeReasoning),
    ...(content === "" ? [] : [{ ...MESSAGE, content: [{ type: "output_text", text: content }] }]),
    ...toolCalls.map((call) => ({ type: "function_call", ...callFields(call), status: "completed" })),
  ];
}

const MESSAGE = { type: "message", role: "assistant", status: "completed" } as const;

function callFields(call: LlmToolCall): JsonObject {
  return { callId: call.id, name: call.name, arguments: argumentsText(call) };
}

function writeReasoning(thought: Reasoning): JsonObject {
  const isPlain = thought.type === "text" && thought.signature === undefined;
  const content = thought.type === "text" ? [{ type: "input_text", text: thought.text }] : [];
  const own = isPlain ? {} : { providerData: { [OWN_KEY]: thought as unknown as JsonObject } };
  return { type: "reasoning", content, ...own };
}

function restore(message: AssistantMessage): JsonObject[] | undefined {
  const { layout } = extrasOf(message);
  if (!Array.isArray(layout)) return undefined;
  const calls = [...(message.toolCalls ?? [])];
  const items = layout.map(toLoose).map((item): Loose => {
    if (item["type"] !== "function_call") return isMessage(item) ? withText(item, message.content) : item;
    const call = calls.shift();
    return call === undefined ? item : { ...item, ...callFields(call) };
  });
  return calls.length === 0 && fits(items, message) ? (items as JsonObject[]) : undefined;
}

function withText(item: Loose, text: string): Loose {
  if (!Array.isArray(item["content"])) return item;
  const content = contentOf(item).map((part) => {
    if (part["type"] === "output_text") return { text, ...part };
    return part["type"] === "refusal" ? { refusal: text, ...part } : part;
  });
  return { ...item, content };
}

function fits(items: readonly Loose[], { content, toolCalls = [], reasoning = [] }: AssistantMessage): boolean {
  const calls = items.filter(({ type }) => type === "function_call");
  const thoughts = items.filter(({ type }) => type === "reasoning").map(readReasoning);
  return (
    items.flatMap(textsOf).join("") === content &&
    calls.length === toolCalls.length &&
    stableText(thoughts) === stableText(reasoning)
  );
}
