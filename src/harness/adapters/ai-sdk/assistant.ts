// Converts an assistant's parts of the SDK to one message of ours, and back. Ours has a fixed order (reasoning, text, calls) and one
// text. Other parts leave a `layout` in the extras: the parts, their order and their metadata.

import {
  argumentsText,
  defined,
  toArguments,
  type AssistantMessage,
  type JsonObject,
  type LlmToolCall,
  type Reasoning,
} from "../../../core/index.js";
import { assistantMessage, type Loose, objectIn, optional, asText, toJson, toLoose } from "../loose.js";
import { extrasOf, withExtras } from "./extras.js";
import { readFile, writeFile } from "./file.js";
import type { SpecVersion } from "./sdk-types.js";

/** Metadata has another name in a prompt than in an answer. Arguments are a value in a prompt and a text in an answer. */
type Side = "prompt" | "answer";

/** Our own field of metadata: the reasoning that a stream could not lay out. */
export const OWN_KEY = "playhead";

interface Reading {
  texts: string[];
  reasoning: Reasoning[];
  calls: LlmToolCall[];
  layout: JsonObject[];
  /** True once the layout holds something that the message alone does not. */
  isNeeded: boolean;
}

/** Reads one message; `extras` are added to its layout. */
export function readAssistant(parts: readonly Loose[], extras: JsonObject = {}): AssistantMessage {
  const reading: Reading = { texts: [], reasoning: [], calls: [], layout: [], isNeeded: false };
  for (const part of parts) readPart(part, reading);
  const { texts, reasoning, calls, layout } = reading;
  if (texts.length > 1) {
    const items = layout.filter(({ type }) => type === "text");
    texts.forEach((text, index) => ((items[index] as JsonObject)["text"] = text));
  }
  const isPlain = !reading.isNeeded && texts.length < 2 && isOrdered(layout);
  return withExtras(assistantMessage(texts.join(""), calls, reasoning), { ...(isPlain ? {} : { layout }), ...extras });
}

function readPart(part: Loose, reading: Reading): void {
  const metadata = metadataOf(part);
  const shared = defined({ metadata });
  switch (part["type"]) {
    case "text": {
      const text = asText(part["text"]);
      reading.texts.push(text);
      reading.isNeeded ||= text === "" || metadata !== undefined || part["citations"] !== undefined;
      reading.layout.push({ type: "text", ...optional({ citations: part["citations"] }), ...shared });
      return;
    }
    case "reasoning":
      readReasoning(asText(part["text"]), metadata, reading);
      return;
    case "tool-call":
      if (part["providerExecuted"] === true) break;
      reading.calls.push(readCall(part));
      reading.isNeeded ||= metadata !== undefined || part["dynamic"] === true;
      reading.layout.push({ type: "tool-call", ...(part["dynamic"] === true ? { dynamic: true } : {}), ...shared });
      return;
  }
  reading.isNeeded = true;
  reading.layout.push({ type: "other", part: readOther(part) });
}

function readReasoning(text: string, metadata: JsonObject | undefined, reading: Reading): void {
  const own = toLoose(metadata?.[OWN_KEY])["reasoning"];
  if (Array.isArray(own)) {
    // A stream that we laid out: its reasoning stands first, as in our messages.
    reading.reasoning.push(...(own as Reasoning[]));
    reading.layout.unshift(...own.map(() => ({ type: "reasoning" })));
    return;
  }
  const thought = toReasoning(text, metadata);
  reading.reasoning.push(thought);
  const isKnown = JSON.stringify(metadata) === JSON.stringify(reasoningMetadata(thought));
  reading.isNeeded ||= !isKnown;
  reading.layout.push({ type: "reasoning", ...(isKnown || metadata === undefined ? {} : { metadata }) });
}

/** Signatures and redacted reasoning are Anthropic's; they stand where its provider for the SDK puts them. */
function toReasoning(text: string, metadata: JsonObject | undefined): Reasoning {
  const { signature, redactedData } = toLoose(metadata?.["anthropic"]);
  if (text === "" && typeof redactedData === "string") return { type: "redacted", data: redactedData };
  return { type: "text", text, ...(typeof signature === "string" ? { signature } : {}) };
}

function reasoningMetadata(thought: Reasoning): JsonObject | undefined {
  if (thought.type === "redacted") return { anthropic: { redactedData: thought.data } };
  return thought.signature === undefined ? undefined : { anthropic: { signature: thought.signature } };
}

function readCall(part: Loose): LlmToolCall {
  return { id: asText(part["toolCallId"]), name: asText(part["toolName"]), ...toArguments(toJson(part["input"])) };
}

/** Sources, files, tools the vendor ran, and unknown parts: unchanged, except for how bytes are written. */
function readOther(part: Loose): JsonObject {
  const type = asText(part["type"]);
  const isFile = type === "file" || type === "reasoning-file";
  const { data: _, originalUrl: _url, ...rest } = part;
  return toJson(isFile ? { ...rest, ...readFile(part) } : part) as JsonObject;
}

function metadataOf(part: Loose): JsonObject | undefined {
  const metadata = toJson(toLoose(part["providerOptions"] ?? part["providerMetadata"])) as JsonObject;
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

function isOrdered(layout: readonly JsonObject[]): boolean {
  const ranks = layout.map(({ type }) => ["reasoning", "text", "tool-call"].indexOf(asText(type)));
  return ranks.every((rank, index) => rank >= (ranks[index - 1] ?? 0));
}

/** Writes the parts. A layout that does not fit its message, as after an edit by hand, is ignored. */
export function writeAssistant(message: AssistantMessage, side: Side, version: SpecVersion): JsonObject[] {
  const { content, toolCalls = [], reasoning = [] } = message;
  const [thoughts, calls] = [[...reasoning], [...toolCalls]];
  return layoutOf(message).map((item): JsonObject => {
    const shared = metadataFields(objectIn(item, "metadata"), side);
    switch (item["type"]) {
      case "text": {
        const text = typeof item["text"] === "string" ? item["text"] : content;
        const cited = side === "answer" ? optional({ citations: item["citations"] }) : {};
        return { type: "text", text, ...cited, ...shared };
      }
      case "reasoning":
        return { ...writeReasoning(thoughts.shift() as Reasoning, side), ...shared };
      case "tool-call": {
        const dynamic = side === "answer" && item["dynamic"] === true ? { dynamic: true } : {};
        return { ...writeCall(calls.shift() as LlmToolCall, side), ...dynamic, ...shared };
      }
    }
    return writeOther(toLoose(item["part"]), version);
  });
}

function layoutOf(message: AssistantMessage): readonly Loose[] {
  const { content, toolCalls = [], reasoning = [] } = message;
  const { layout } = extrasOf(message);
  if (Array.isArray(layout) && fits(layout as Loose[], message)) return layout as Loose[];
  return [
    ...reasoning.map(() => ({ type: "reasoning" })),
    ...(content === "" ? [] : [{ type: "text" }]),
    ...toolCalls.map(() => ({ type: "tool-call" })),
  ];
}

function fits(layout: readonly Loose[], { content, toolCalls = [], reasoning = [] }: AssistantMessage): boolean {
  const count = (type: string): number => layout.filter((item) => item["type"] === type).length;
  if (count("tool-call") !== toolCalls.length || count("reasoning") !== reasoning.length) return false;
  const texts = layout.filter(({ type }) => type === "text");
  if (texts.length === 0) return content === "";
  return texts.length === 1 || texts.map(({ text }) => text).join("") === content;
}

function writeReasoning(thought: Reasoning, side: Side): JsonObject {
  const text = thought.type === "text" ? thought.text : "";
  return { type: "reasoning", text, ...metadataFields(reasoningMetadata(thought), side) };
}

function writeCall(call: LlmToolCall, side: Side): JsonObject {
  const input = side === "answer" ? argumentsText(call) : (call.malformedArguments ?? call.arguments);
  return { type: "tool-call", toolCallId: call.id, toolName: call.name, input };
}

function writeOther(part: Loose, version: SpecVersion): JsonObject {
  const type = asText(part["type"]);
  if (type !== "file" && type !== "reasoning-file") return { ...part } as JsonObject;
  const { data: _, url: _url, reference: _reference, text: _text, ...rest } = part;
  return { ...rest, ...writeFile(part, version) } as JsonObject;
}

function metadataFields(metadata: JsonObject | undefined, side: Side): JsonObject {
  if (metadata === undefined) return {};
  return side === "prompt" ? { providerOptions: metadata } : { providerMetadata: metadata };
}
