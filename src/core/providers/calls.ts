// Tool calls as vendors send them, made into the one `LlmToolCall[]` of the loop: nothing is lost, an id is never missing or
// double, and arguments that are no object are kept as the text the model wrote.

import { parseBoundedJson } from "../canon/depth.js";
import { findDropped } from "../canon/exact.js";
import { isPlainObject, setOwn, type JsonObject, type JsonValue } from "../canon/value.js";
import type { LlmToolCall } from "../model/message.js";
import { toJsonText, toText } from "../http/json-readers.js";

/** One call as it came; every field may be anything. */
export interface WireCall {
  id: unknown;
  name: unknown;
  arguments: unknown;
}

/**
 * Nesting of arguments. A response wraps them in up to eight containers of a cassette, so this keeps within
 * `MAX_JSON_DEPTH`; tools refuse arguments deeper than 64 anyway.
 */
const MAX_WIRE_DEPTH = 100;

/** All calls of one answer, in their order. */
export function toToolCalls(calls: readonly WireCall[]): LlmToolCall[] {
  const given = new Set(calls.map((call) => toText(call.id)));
  const used = new Set<string>();
  return calls.map((call, index) => {
    const id = pickId(toText(call.id), index, given, used);
    used.add(id);
    return { id, name: toText(call.name), ...toArguments(call.arguments) };
  });
}

/** The vendor's id at its first use, else `call_<index>`, lengthened until no other call has it. */
function pickId(id: string, index: number, given: ReadonlySet<string>, used: ReadonlySet<string>): string {
  if (id !== "" && !used.has(id)) return id;
  let synthetic = `call_${index}`;
  while (given.has(synthetic) || used.has(synthetic)) synthetic += "_";
  return synthetic;
}

/**
 * For adapters: a call's arguments, as a value or as JSON text, as an object; what is none is kept as
 * `malformedArguments`, and so is a text with a number that JSON.parse rounds or a key that occurs twice. No arguments at all ("", null, the text `null`) are `{}`: vendors send that for a tool without.
 */
export function toArguments(value: unknown): Pick<LlmToolCall, "arguments" | "malformedArguments"> {
  if (value === undefined || value === null) return { arguments: {} };
  if (typeof value !== "string") return fromValue(value, () => toJsonText(value));
  if (value.trim() === "" || value.trim() === "null") return { arguments: {} };
  try {
    const parsed = parseBoundedJson(value);
    // A number that would be rounded, or one of two equal keys, is kept in the text the model wrote.
    if (findDropped(value) !== undefined) return { arguments: {}, malformedArguments: value.toWellFormed() };
    return fromValue(parsed, () => value.toWellFormed());
  } catch {
    return { arguments: {}, malformedArguments: value.toWellFormed() };
  }
}

function fromValue(value: unknown, written: () => string): Pick<LlmToolCall, "arguments" | "malformedArguments"> {
  const clean = isPlainObject(value) ? cleanJson(value, MAX_WIRE_DEPTH) : undefined;
  return clean === undefined ? { arguments: {}, malformedArguments: written() } : { arguments: clean as JsonObject };
}

/** A copy with well-formed strings, or undefined when it is too deep or holds a number no JSON can (1e999). */
function cleanJson(value: unknown, depth: number): JsonValue | undefined {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || value === null) return value as boolean | null;
  if (depth === 0) return undefined;
  return Array.isArray(value) ? cleanList(value, depth) : cleanObject(value as Record<string, unknown>, depth);
}

function cleanList(list: readonly unknown[], depth: number): JsonValue[] | undefined {
  const result: JsonValue[] = [];
  for (const item of list) {
    const clean = cleanJson(item, depth - 1);
    if (clean === undefined) return undefined;
    result.push(clean);
  }
  return result;
}

function cleanObject(object: Record<string, unknown>, depth: number): JsonObject | undefined {
  const result: JsonObject = {};
  for (const key of Object.keys(object)) {
    const clean = cleanJson(object[key], depth - 1);
    if (clean === undefined) return undefined;
    setOwn(result, key.toWellFormed(), clean);
  }
  return result;
}
