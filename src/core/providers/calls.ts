// The tool calls that vendors send, as `LlmToolCall[]`: nothing is lost, each id is present and unique, odd arguments stay as their text.

import { tryParseJson } from "../canon/bounded-json.js";
import { findDropped } from "../canon/exact.js";
import { isPlainObject, setOwn, type JsonObject, type JsonValue } from "../canon/value.js";
import { MAX_WIRE_ARGUMENT_DEPTH } from "../limits.js";
import type { LlmToolCall } from "../model/message.js";
import { toJsonText, toText } from "../http/json-readers.js";

/** One call as it came. Every field may be anything. */
export interface WireCall {
  id: unknown;
  name: unknown;
  arguments: unknown;
}

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
 * For adapters: a call's arguments as an object, from a value or JSON text. Anything else becomes `malformedArguments`, and so does text with a
 * number that JSON.parse rounds or a key that occurs twice. "", null and `null`, which vendors send for no arguments, become `{}`.
 */
export function toArguments(value: unknown): Pick<LlmToolCall, "arguments" | "malformedArguments"> {
  if (value === undefined || value === null) return { arguments: {} };
  if (typeof value === "string" && ["", "null"].includes(value.trim())) return { arguments: {} };
  const parsed = typeof value === "string" ? parseArguments(value) : value;
  const clean = isPlainObject(parsed) ? cleanJson(parsed) : undefined;
  if (clean !== undefined) return { arguments: clean as JsonObject };
  return { arguments: {}, malformedArguments: typeof value === "string" ? value.toWellFormed() : toJsonText(value) };
}

/** Undefined for text that is not JSON, or that parsing would change. */
function parseArguments(text: string): unknown {
  const parsed = tryParseJson(text);
  return parsed !== undefined && findDropped(text) === undefined ? parsed : undefined;
}

/** A copy with well-formed strings, with 0 for -0, as JSON is written, or undefined for a value that is too deep or holds a number that JSON cannot (1e999). */
export function cleanJson(value: unknown, depth = MAX_WIRE_ARGUMENT_DEPTH): JsonValue | undefined {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined;
  if (typeof value !== "object" || value === null) return value as boolean | null;
  if (depth === 0) return undefined;
  const copy: JsonValue[] | JsonObject = Array.isArray(value) ? [] : {};
  for (const [key, item] of Object.entries(value)) {
    const clean = cleanJson(item, depth - 1);
    if (clean === undefined) return undefined;
    if (Array.isArray(copy)) copy.push(clean);
    else setOwn(copy, key.toWellFormed(), clean);
  }
  return copy;
}

/** The arguments of a call as JSON, or as the model wrote them if that was not an object. */
export function argumentsText(call: LlmToolCall): string {
  return call.malformedArguments ?? JSON.stringify(call.arguments);
}
