// The fields of a request body without a setting of ours, such as `reasoning_effort`. They are kept as the vendor spells them, in a
// setting with the name of the wire, so that a replay compares them. An empty setting says that every field of the request was kept.

import { isPlainObject, type JsonObject, type JsonValue } from "../canon/value.js";
import type { LlmMessage } from "../model/message.js";
import type { LlmSettings } from "../model/provider.js";
import { toList, toObject, toText, type WireObject } from "../http/json-readers.js";

/** Fields that are never compared, each with the reason why it cannot change the answer. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  model: "is compared nowhere, so that a recording serves any model",
  stream: "says how the answer is sent, and a recording is replayed either way",
  stream_options: "says which pieces a stream has, not what it says",
  user: "names an end user for the vendor's abuse checks",
  safety_identifier: "names an end user for the vendor's abuse checks",
  metadata: "labels the request for the vendor's logs, often with an id of the session",
  requestMetadata: "labels the request for the vendor's logs",
  client_metadata: "labels the request for the vendor's logs, as Codex does with new ids in each run",
  store: "keeps the answer at the vendor; a request that continues it is compared with its whole conversation",
  thread: "starts or continues a thread, whose whole conversation is compared",
  cache_control: "says what the vendor caches",
  prompt_cache_key: "says what the vendor caches",
  prompt_cache_options: "says what the vendor caches",
  prompt_cache_retention: "says what the vendor caches",
  diagnostics: "asks why the vendor's cache was missed",
  keep_alive: "says how long the model stays loaded",
};

/**
 * Fields that a vendor adds to an answer and a client repeats in later requests, each with the reason why it is not compared there.
 * One client repeats them and another leaves them out, and older recordings lack them.
 */
export const NOT_COMPARED_IN_ANSWERS: Readonly<Record<string, string>> = {
  annotations: "names the sources of a text",
  citations: "names the sources of a text",
  search_results: "names the sources of a text",
  audio: "is compared by its transcript where there is no text",
  reasoning: "is a thought, which this wire does not take back",
  reasoning_content: "is a thought, which this wire does not take back",
  reasoning_details: "is a thought, which this wire does not take back",
  caller: "says whether the model or its code made a call",
  extra_content: "holds the vendor's signature of a call",
  provider_specific_fields: "holds what a gateway knows about an answer",
  index: "is the place of a call in its answer",
};

/** The fields of a whole body, except those in `known` and those that are never compared. */
export function bodyFields(body: WireObject, known: readonly string[]): JsonObject {
  return {
    ...unknownFields(body, [...known, ...Object.keys(NOT_COMPARED)]),
    // Another type of thread is refused. Its other fields may count.
    ...nested("thread", unknownFields(toObject(body["thread"]), ["type"])),
  };
}

/** The fields of an earlier answer or a part of it, except those in `known` and those that are not compared there. */
export function answerFields(object: WireObject, known: readonly string[]): JsonObject {
  return unknownFields(object, [...known, ...Object.keys(NOT_COMPARED_IN_ANSWERS)]);
}

/** The fields of an object, except those in `known`, marks for the cache, and null, which means the vendor's default. */
export function unknownFields(object: WireObject, known: readonly string[]): JsonObject {
  const fields = Object.entries(object).filter(
    ([field, value]) => !known.includes(field) && field !== "cache_control" && isGiven(value),
  );
  return Object.fromEntries(fields) as JsonObject;
}

/** `{ [key]: fields }`, or an empty object for no fields. */
export function nested(key: string, fields: JsonObject): JsonObject {
  return Object.keys(fields).length === 0 ? {} : { [key]: fields };
}

/** The unknown fields of tools, by the tool's name, with its place if another has the same name. `read` reads one tool. */
export function toolFields(
  tools: unknown,
  read: (tool: WireObject) => { name: unknown; fields: JsonObject },
): JsonObject {
  const found = toList(tools).map((tool) => read(toObject(tool)));
  const names = found.map(({ name }) => toText(name));
  const keyOf = (place: number): string => {
    const name = names[place] ?? "";
    return names.indexOf(name) === place ? name : `${name}#${place}`;
  };
  return nested(
    "tools",
    Object.fromEntries(found.flatMap(({ fields }, place) => Object.entries(nested(keyOf(place), fields)))),
  );
}

/** The unknown fields of the parts of a message, by their places. `read` reads one part. */
export function partFields(content: unknown, read: (part: WireObject) => JsonObject): JsonObject {
  const found = toList(content).flatMap((part, place) => Object.entries(nested(String(place), read(toObject(part)))));
  return nested("content", Object.fromEntries(found));
}

export function textFields(part: WireObject): JsonObject {
  return unknownFields(part, ["type", "text"]);
}

/** `message` with its unknown fields, if it has any, under the name of the wire. */
export function withMessageFields<T extends LlmMessage>(message: T, wire: string, fields: JsonObject): T {
  return { ...message, ...nested(wire, fields) };
}

/**
 * `to`, as a wire left it of `from`, with the unknown fields of `from`. A wire may join messages at the start, so places count from
 * the end, and the fields of earlier messages are joined to those of the first.
 */
export function carryMessageFields(from: readonly LlmMessage[], to: LlmMessage[], wire: string): LlmMessage[] {
  const carried = new Map<number, JsonObject[]>();
  for (const [index, message] of from.entries()) {
    const fields = wireFieldsOf(message, wire);
    if (Object.keys(fields).length === 0) continue;
    const place = Math.max(0, index + to.length - from.length);
    carried.set(place, [...(carried.get(place) ?? []), fields]);
  }
  return to.map((message, place) => {
    const [fields = {}, ...others] = carried.get(place) ?? [];
    return withMessageFields(message, wire, others.length === 0 ? fields : { joined: [fields, ...others] });
  });
}

/** The fields of one wire that settings or a message hold, or an empty object. */
export function wireFieldsOf(holder: object, wire: string): JsonObject {
  const fields = (holder as Readonly<Record<string, JsonValue>>)[wire];
  return isPlainObject(fields) ? fields : {};
}

/** `settings` with the fields of a wire, which may be empty. */
export function withWireFields<T extends LlmSettings>(settings: T, wire: string, fields: JsonObject): T {
  return { ...settings, [wire]: fields };
}

/** False for null, which means the vendor's default, as absence does. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
