// The parts of Gemini's content as one assistant message, and back. A message of ours has one place for thoughts, text and calls.
// Signatures, any other order, and parts that a message has no place for (code that the vendor runs, images) go into `layout`.
// So a replayed answer has the parts that were recorded.

import { isPlainObject, type JsonObject, type JsonValue } from "../../canon/value.js";
import { toObject, toText, type WireObject } from "../../http/json-readers.js";
import type { AssistantMessage, Reasoning } from "../../model/message.js";
import type { WireCall } from "../../providers/calls.js";
import { nested, unknownFields } from "../../wire/fields.js";

/** The content of one answer. */
export interface ReadParts {
  content: string;
  calls: WireCall[];
  reasoning: Reasoning[];
  /** One entry for each part. Undefined for one thought, one text and calls, in this order and without other fields. */
  layout: JsonObject[] | undefined;
}

/** Reads parts of any kind. Consecutive texts are one text, since a stream cuts them anywhere. */
export function readParts(parts: readonly unknown[]): ReadParts {
  const read: ReadParts = { content: "", calls: [], reasoning: [], layout: undefined };
  const layout: JsonObject[] = [];
  for (const part of joinTexts(parts.map((item) => toCamel(toObject(item))))) layout.push(readPart(part, read));
  return { ...read, layout: isPlain(layout) ? undefined : layout };
}

function readPart(part: WireObject, read: ReadParts): JsonObject {
  const { text, functionCall: call } = part;
  if (isPlainObject(call)) {
    const { id, name, args } = call;
    read.calls.push({ id, name, arguments: args });
    return {
      type: "call",
      ...fieldsOf(part, "functionCall"),
      ...nested("functionCall", unknownFields(call, ["id", "name", "args"])),
    };
  }
  if (typeof text !== "string") return { type: "part", part: part as JsonObject };
  const fields = fieldsOf(part, "text");
  if (part["thought"] === true) {
    read.reasoning.push({ type: "text", text: toText(text) });
    return { type: "thought", ...fields };
  }
  read.content += toText(text);
  return { type: "text", length: toText(text).length, ...fields };
}

function fieldsOf(part: WireObject, known: string): JsonObject {
  return unknownFields(part, [known, "thought"]);
}

/** A text that carries a signature ends its row. An empty text says nothing unless it carries one. */
function joinTexts(parts: readonly WireObject[]): WireObject[] {
  const joined: WireObject[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isNext = last !== undefined && isText(last) && isText(part) && isThought(last) === isThought(part);
    if (isNext && Object.keys(fieldsOf(last, "text")).length === 0) {
      joined[joined.length - 1] = { ...part, text: `${last["text"] as string}${part["text"] as string}` };
    } else if (Object.keys(part).length > 0) joined.push(part);
  }
  return joined.filter((part) => part["text"] !== "" || Object.keys(fieldsOf(part, "text")).length > 0);
}

function isText({ text }: WireObject): boolean {
  return typeof text === "string";
}

function isThought({ thought }: WireObject): boolean {
  return thought === true;
}

/** True for the layout that `writeParts` makes by itself. */
function isPlain(layout: readonly JsonObject[]): boolean {
  const order = ["thought", "text", "call"];
  const places = layout.map(({ type }) => order.indexOf(type as string));
  const isBare = layout.every((entry) => Object.keys(entry).every((key) => key === "type" || key === "length"));
  const isOrdered = places.every((place, index) => place >= 0 && place >= (places[index - 1] ?? 0));
  const texts = layout.filter(({ type }) => type === "text").length;
  const thoughts = layout.filter(({ type }) => type === "thought").length;
  return isBare && isOrdered && texts <= 1 && thoughts <= 1;
}

/** The parts of a message, in the order of its layout. */
export function writeParts(message: AssistantMessage, layout: JsonValue | undefined): JsonObject[] {
  const { content, toolCalls = [], reasoning = [] } = message;
  const entries = Array.isArray(layout) ? layout.filter(isPlainObject) : plainLayout(message);
  let [thoughts, calls, start] = [0, 0, 0];
  return entries.flatMap((entry): JsonObject[] => {
    const { type, length, part, functionCall, ...fields } = entry as JsonObject;
    switch (type) {
      case "thought": {
        const thought = reasoning[thoughts++];
        return thought?.type === "text" ? [{ text: thought.text, thought: true, ...fields }] : [];
      }
      case "text": {
        const end = typeof length === "number" ? start + length : content.length;
        const text = content.slice(start, end);
        start = end;
        return [{ text, ...fields }];
      }
      case "call": {
        const place = calls++;
        const call = toolCalls[place];
        if (call === undefined) return [];
        const { id, name, arguments: args, malformedArguments } = call;
        const named = { ...(hasOwnId(id, place) ? { id } : {}), name, args: malformedArguments ?? args };
        return [{ functionCall: { ...named, ...toObject(functionCall) }, ...fields }];
      }
      default:
        return isPlainObject(part) ? [part] : [];
    }
  });
}

/** False for the id that a call without one gets from its place. */
export function hasOwnId(id: string, place: number): boolean {
  return id !== `call_${place}`;
}

function plainLayout({ content, toolCalls = [], reasoning = [] }: AssistantMessage): JsonObject[] {
  return [
    ...reasoning.map(() => ({ type: "thought" })),
    ...(content === "" ? [] : [{ type: "text" }]),
    ...toolCalls.map(() => ({ type: "call" })),
  ];
}

/** An object with the names of its fields as the API documents them. It takes `snake_case` too, and some clients send it. */
export function toCamel(object: WireObject): WireObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
