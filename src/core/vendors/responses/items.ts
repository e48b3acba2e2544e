// The output items of the Responses API as one assistant message, and back. A message of ours has one place for thoughts, one for
// text and one for calls. Any other order, and any item or field that a message has no place for, goes into `layout`. So a
// replayed answer has the items that were recorded.

import { isPlainObject, type JsonObject, type JsonValue } from "../../canon/value.js";
import { toList, toObject, toText, type WireObject } from "../../http/json-readers.js";
import type { AssistantMessage, LlmToolCall, Reasoning } from "../../model/message.js";
import { argumentsText, type WireCall } from "../../providers/calls.js";
import { answerFields, nested } from "../../wire/fields.js";

/** Between two parts of a summary, in the text of a thought. */
export const SUMMARY_BREAK = "\n\n";

/** The content of one answer. */
export interface ReadItems {
  content: string;
  calls: WireCall[];
  reasoning: Reasoning[];
  hasRefusal: boolean;
  /** One entry for each item. Undefined for reasoning, one message and calls, in this order and without other fields. */
  layout: JsonObject[] | undefined;
}

/** Reads items of any type. Ids and the status of an item are dropped, since a replay has its own. */
export function readItems(items: readonly WireObject[]): ReadItems {
  const read: ReadItems = { content: "", calls: [], reasoning: [], hasRefusal: false, layout: undefined };
  const layout = items.map((item) => readItem(item, read));
  return { ...read, layout: isPlain(layout) ? undefined : layout };
}

function readItem(item: WireObject, read: ReadItems): JsonObject {
  const type = toText(item["type"]) || "message";
  switch (type) {
    case "reasoning": {
      const thought = readThought(item);
      read.reasoning.push(thought.reasoning);
      return { type, ...thought.fields };
    }
    case "message": {
      const said = readParts(item["content"]);
      read.content += said.text;
      read.hasRefusal ||= said.hasRefusal;
      const fields = answerFields(item, [...OWN, "role", "content"]);
      return { type, length: said.text.length, ...fields, ...said.fields };
    }
    case "function_call":
    case "custom_tool_call": {
      const input = type === "function_call" ? "arguments" : "input";
      read.calls.push({ id: item["call_id"], name: item["name"], arguments: item[input] });
      return { type, ...answerFields(item, [...OWN, "call_id", "name", input]) };
    }
    default:
      return item as JsonObject;
  }
}

/** Fields of an item that a replay makes itself. */
const OWN = ["type", "id", "status"];

/** True for the layout that `writeItems` makes by itself. */
function isPlain(layout: readonly JsonObject[]): boolean {
  const order = ["reasoning", "message", "function_call"];
  const places = layout.map(({ type }) => order.indexOf(type as string));
  const isBare = layout.every((entry) => Object.keys(entry).every((key) => key === "type" || key === "length"));
  const isOrdered = places.every((place, index) => place >= 0 && place >= (places[index - 1] ?? 0));
  return isBare && isOrdered && layout.filter(({ type }) => type === "message").length <= 1;
}

/** The text of a thought is its summary. Without a summary, it is the full reasoning. */
function readThought(item: WireObject): { reasoning: Reasoning; fields: JsonObject } {
  const [summary, content] = [toList(item["summary"]), toList(item["content"])];
  const said = textsOf(summary).join(SUMMARY_BREAK);
  const text = said || textsOf(content).join("");
  const signature = toText(item["encrypted_content"]);
  const fields = {
    ...answerFields(item, [...OWN, "summary", "content", "encrypted_content"]),
    // Parts that one text does not give back are kept as they are.
    ...(isOne(summary, SUMMARY, said) ? {} : { summary: summary as JsonValue }),
    ...(content.length === 0
      ? {}
      : isOne(content, THOUGHT, said === "" ? text : "")
        ? { content: true }
        : { content: content as JsonValue }),
  };
  if (text === "" && signature !== "") return { reasoning: { type: "redacted", data: signature }, fields };
  return { reasoning: { type: "text", text, ...(signature === "" ? {} : { signature }) }, fields };
}

const SUMMARY = "summary_text";
const THOUGHT = "reasoning_text";

function textsOf(parts: readonly unknown[]): string[] {
  return parts.map((part) => toText(toObject(part)["text"]));
}

/** True for no parts and no text, or for one part with the text and nothing else. */
function isOne(parts: readonly unknown[], type: string, text: string): boolean {
  if (parts.length === 0) return text === "";
  const [part, ...more] = parts;
  const { type: own, text: said, ...others } = toObject(part);
  return more.length === 0 && text !== "" && own === type && said === text && Object.keys(others).length === 0;
}

/** The types of parts that are text, and the field that holds it. */
export const TEXTS: ReadonlyMap<string, string> = new Map([
  ["output_text", "text"],
  ["input_text", "text"],
  ["text", "text"],
  ["refusal", "refusal"],
]);

/** The text of a message. `fields` holds its parts unless they are one text without fields of its own. */
function readParts(content: unknown): { text: string; hasRefusal: boolean; fields: JsonObject } {
  if (!Array.isArray(content)) return { text: toText(content), hasRefusal: false, fields: {} };
  let text = "";
  const parts = toList(content).map((item): JsonObject => {
    const part = toObject(item);
    const field = TEXTS.get(toText(part["type"]));
    if (field === undefined) return { part: part as JsonObject };
    const own = toText(part[field]);
    text += own;
    const fields = answerFields(part, ["type", "logprobs", field]);
    return { ...(field === "refusal" ? { refusal: true } : {}), length: own.length, ...nested("fields", fields) };
  });
  const hasRefusal = parts.some(({ refusal }) => refusal === true);
  const [first, ...more] = parts;
  const isBare =
    more.length === 0 && first !== undefined && first["part"] === undefined && first["fields"] === undefined;
  return { text, hasRefusal, fields: isBare ? {} : { parts } };
}

/** What each text of an answer has besides its words: its sources and log probabilities. Empty if no text has any. */
export function readTexts(items: readonly WireObject[]): WireObject[] {
  const texts = items.flatMap(saidParts).map(readExtras);
  return texts.every((extras) => Object.keys(extras).length === 0) ? [] : texts;
}

function readExtras(part: WireObject): WireObject {
  const extras = TEXT_EXTRAS.map((name): [string, unknown] => [name, part[name]]);
  return Object.fromEntries(extras.filter(([, list]) => toList(list).length > 0));
}

/** `items` with what `readTexts` found. */
export function writeTexts(items: readonly JsonObject[], texts: JsonValue | undefined): JsonObject[] {
  const extras = toList(texts);
  let place = 0;
  const fill = (part: WireObject): JsonObject =>
    ({ ...part, ...(part["type"] === "output_text" ? toObject(extras[place++]) : {}) }) as JsonObject;
  return items.map((item) => {
    if (item["type"] !== "message") return item;
    return { ...item, content: toList(item["content"]).map((part) => fill(toObject(part))) };
  });
}

const TEXT_EXTRAS = ["annotations", "logprobs"];

/** The parts that are written as texts. */
function saidParts({ type, content }: WireObject): WireObject[] {
  if ((toText(type) || "message") !== "message") return [];
  const parts = toList(content).map(toObject);
  return typeof content === "string" ? [{}] : parts.filter((part) => TEXTS.get(toText(part["type"])) === "text");
}

/** The items of a message without their ids, in the order of its layout. */
export function writeItems(message: AssistantMessage, layout: JsonValue | undefined, isRefusal = false): JsonObject[] {
  const { content, toolCalls = [], reasoning = [] } = message;
  const entries = Array.isArray(layout) ? layout.filter(isPlainObject) : plainLayout(message);
  let [thoughts, calls, start] = [0, 0, 0];
  return entries.flatMap((entry): JsonObject[] => {
    const { type, length, parts, ...fields } = entry as JsonObject;
    switch (type) {
      case "reasoning": {
        const thought = reasoning[thoughts++];
        return thought === undefined ? [] : [writeThought(thought, fields)];
      }
      case "message": {
        const end = typeof length === "number" ? start + length : content.length;
        const text = content.slice(start, end);
        start = end;
        return [{ type: "message", role: "assistant", content: writeParts(text, parts, isRefusal), ...fields }];
      }
      case "function_call":
      case "custom_tool_call": {
        const call = toolCalls[calls++];
        return call === undefined ? [] : [{ ...writeCall(call, type), ...fields }];
      }
      default:
        return [entry as JsonObject];
    }
  });
}

function plainLayout({ content, toolCalls = [], reasoning = [] }: AssistantMessage): JsonObject[] {
  return [
    ...reasoning.map(() => ({ type: "reasoning" })),
    ...(content === "" ? [] : [{ type: "message" }]),
    ...toolCalls.map(() => ({ type: "function_call" })),
  ];
}

function writeThought(thought: Reasoning, { content, ...fields }: JsonObject): JsonObject {
  const text = thought.type === "text" ? thought.text : "";
  const signature = thought.type === "text" ? thought.signature : thought.data;
  const isContent = content === true;
  return {
    type: "reasoning",
    summary: text === "" || isContent ? [] : [{ type: SUMMARY, text }],
    ...(isContent ? { content: [{ type: THOUGHT, text }] } : content === undefined ? {} : { content }),
    ...(signature === undefined ? {} : { encrypted_content: signature }),
    ...fields,
  };
}

function writeParts(text: string, parts: JsonValue | undefined, isRefusal: boolean): JsonObject[] {
  if (!Array.isArray(parts)) return [writeText(text, isRefusal, {})];
  let start = 0;
  return parts.filter(isPlainObject).map((entry) => {
    const { part, length, refusal, fields } = entry as JsonObject;
    if (isPlainObject(part)) return part;
    const end = start + (typeof length === "number" ? length : 0);
    const own = text.slice(start, end);
    start = end;
    return writeText(own, refusal === true, toObject(fields) as JsonObject);
  });
}

function writeText(text: string, isRefusal: boolean, fields: JsonObject): JsonObject {
  return isRefusal
    ? { type: "refusal", refusal: text, ...fields }
    : { type: "output_text", text, annotations: [], logprobs: [], ...fields };
}

function writeCall(call: LlmToolCall, type: string): JsonObject {
  const named = { type, call_id: call.id, name: call.name };
  return type === "function_call"
    ? { ...named, arguments: argumentsText(call) }
    : { ...named, input: argumentsText(call) };
}
