// What the parsers of request bodies share: the shape of a parsed request, readers of single fields, and the refusal.

import { defined } from "../defined.js";
import { invalidOptions } from "../errors.js";
import type { LlmMessage } from "../model/message.js";
import type { LlmSettings, LlmToolDefinition } from "../model/provider.js";
import { isPlainObject, type JsonObject } from "../canon/value.js";
import { toList, toText, type WireObject } from "../http/json-readers.js";
import { withWireFields } from "./fields.js";

/** A request as read from the wire. It always names the model. Absent lists and settings stay absent. */
export interface WireRequest {
  messages: LlmMessage[];
  tools?: LlmToolDefinition[];
  settings: LlmSettings & { model: string };
}

/** One request, and the form of the answer that its client wants. */
export interface WireTurn {
  request: WireRequest;
  isStream: boolean;
  /** OpenAI's `stream_options.include_usage`. Other wires always report usage. */
  wantsUsage: boolean;
  /** A stream comes as one JSON list. Absent for server-sent events and lines. */
  isList?: boolean;
}

/** A turn from the fields that a parser found. `fields` are those without a setting. An empty list of tools is left out. */
export function toTurn(found: {
  wire: string;
  fields: JsonObject;
  messages: LlmMessage[];
  tools: LlmToolDefinition[];
  settings: { [Name in keyof LlmSettings]: LlmSettings[Name] | undefined };
  model: string;
  isStream: boolean;
  wantsUsage?: boolean;
  isList?: boolean | undefined;
}): WireTurn {
  const { wire, fields, messages, tools, settings, model, isStream, wantsUsage = false, isList } = found;
  return {
    request: {
      messages,
      ...(tools.length === 0 ? {} : { tools }),
      settings: { ...withWireFields(defined(settings) as LlmSettings, wire, fields), model },
    },
    isStream,
    wantsUsage,
    ...defined({ isList }),
  };
}

/** The model of a body. Azure's paths name it as a deployment, and its clients may leave it out of the body. */
export function readModel(body: WireObject, path: string): string {
  return toText(body["model"] === undefined ? /\/deployments\/([^/]+)\//.exec(path)?.[1] : body["model"]);
}

/** Throws: `place` of the body holds something that a turn request cannot. No answer is better than one to another question. */
export function refuse(place: string, what: string): never {
  throw invalidOptions(
    `the request cannot be read: ${place} ${what}`,
    "Send a body as the vendor's API reference describes it, without files, audio and tools that the vendor runs.",
  );
}

/** A text, or "" if it is absent or null. */
export function readString(object: WireObject, key: string, place: string): string {
  const value = object[key] ?? "";
  return typeof value === "string" ? toText(value) : refuse(`${place}.${key}`, "must be a text");
}

/** A list of objects, empty if it is absent or null. */
export function readObjects(value: unknown, place: string): readonly WireObject[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) refuse(place, "must be a list");
  return toList(value).map((item, index) =>
    isPlainObject(item) ? item : refuse(`${place}[${index}]`, "must be an object"),
  );
}

/** An object, empty if it is absent or null. */
export function readObject(value: unknown, place: string): WireObject {
  if (value === undefined || value === null) return {};
  return isPlainObject(value) ? value : refuse(place, "must be an object");
}

export function readMessageList(body: WireObject): readonly WireObject[] {
  if (!Array.isArray(body["messages"])) refuse("messages", "must be a list");
  return readObjects(body["messages"], "messages");
}

/** A number, or undefined if it is absent or null. */
export function readNumber(object: WireObject, key: string): number | undefined {
  const value = object[key];
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" ? value : refuse(key, "must be a number");
}

/** One stop sequence or a list of them, as a list. */
export function readStops(value: unknown, place = "stop"): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const stops = Array.isArray(value) ? toList(value) : [value];
  if (!stops.every((stop) => typeof stop === "string")) refuse(place, "must be a text or a list of texts");
  return stops.length === 0 ? undefined : stops.map(toText);
}

/** Content that must be text: a string, a list of text parts, or nothing. */
export function readText(content: unknown, place: string): string {
  if (typeof content === "string") return toText(content);
  return readObjects(content, `${place}.content`)
    .map((part) => {
      const type = readString(part, "type", place);
      return type === "text" ? readString(part, "text", place) : refuse(place, `has a part of type "${type}"`);
    })
    .join("");
}
