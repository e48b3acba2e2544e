// The output items of the Responses API as one assistant message, and back. An API reference calls them reasoning, message and
// function_call; a message of ours has one place for each. Any other order, and any item or field that a message has no place for,
// goes into `layout`, so that a replayed answer has the items that were recorded.

import { isPlainObject, type JsonObject, type JsonValue } from "../../canon/value.js";
import { toList, toObject, toText, type WireObject } from "../../http/json-readers.js";
import type { AssistantMessage, LlmToolCall, Reasoning } from "../../model/message.js";
import type { WireCall } from "../../providers/calls.js";
import { answerFields } from "../../wire/fields.js";

/** What the items of one answer hold. */
export interface ReadItems {
  content: string;
  calls: WireCall[];
  reasoning: Reasoning[];
  hasRefusal: boolean;
  /** One entry for each item; undefined for reasoning, one message and calls, in this order and without other fields. */
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
      read.hasRefusal ||= said.isRefusal;
      const fields = answerFields(item, [...OWN, "role", "content"]);
      return { type, length: said.text.length, ...fields, ...said.others };
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

function readThought(item: WireObject): { reasoning: Reasoning; fields: JsonObject } {
  const summary = joinTexts(item["summary"], "\n\n");
  const content = joinTexts(item["content"], "");
  const signature = toText(item["encrypted_content"]);
  const fields = {
    ...answerFields(item, [...OWN, "summary", "content", "encrypted_content"]),
    ...(content === "" ? {} : { content: summary === "" ? "text" : (item["content"] as JsonValue) }),
  };
  const text = summary || content;
  if (text === "" && signature !== "") return { reasoning: { type: "redacted", data: signature }, fields };
  return { reasoning: { type: "text", text, ...(signature === "" ? {} : { signature }) }, fields };
}

function joinTexts(parts: unknown, separator: string): string {
  return toList(parts)
    .map((part) => toText(toObject(part)["text"]))
    .join(separator);
}

/** Parts that are neither text nor a refusal are kept as they are, by their places. */
function readParts(content: unknown): { text: string; isRefusal: boolean; others: JsonObject } {
  if (!Array.isArray(content)) return { text: toText(content), isRefusal: false, others: {} };
  const texts: string[] = [];
  const others: JsonObject = {};
  for (const [place, part] of toList(content).map(toObject).entries()) {
    const text = TEXTS[toText(part["type"])];
    if (text === undefined) others[place] = part as JsonObject;
    else texts.push(toText(part[text]));
  }
  const isRefusal = toList(content).some((part) => toObject(part)["type"] === "refusal");
  return { text: texts.join(""), isRefusal, others: Object.keys(others).length === 0 ? {} : { parts: others } };
}

/** The types of parts that are text, and the field that holds it. */
const TEXTS: Readonly<Record<string, string>> = {
  output_text: "text",
  input_text: "text",
  text: "text",
  refusal: "refusal",
};

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
        return [writeMessage(text, isRefusal, toObject(parts), fields)];
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
  const isContent = content === "text";
  return {
    type: "reasoning",
    summary: text === "" || isContent ? [] : [{ type: "summary_text", text }],
    ...(isContent ? { content: [{ type: "reasoning_text", text }] } : content === undefined ? {} : { content }),
    ...(signature === undefined ? {} : { encrypted_content: signature }),
    ...fields,
  };
}

function writeMessage(text: string, isRefusal: boolean, parts: WireObject, fields: JsonObject): JsonObject {
  const said: JsonObject = isRefusal
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };
  return { type: "message", role: "assistant", content: [said, ...(Object.values(parts) as JsonObject[])], ...fields };
}

function writeCall(call: LlmToolCall, type: string): JsonObject {
  const named = { type, call_id: call.id, name: call.name };
  return type === "function_call"
    ? { ...named, arguments: argumentsText(call) }
    : { ...named, input: argumentsText(call) };
}

/** The arguments of a call as text: as the model wrote them, where that was not one object. */
export function argumentsText(call: LlmToolCall): string {
  return call.malformedArguments ?? JSON.stringify(call.arguments);
}
