// JSON, markers and provenance, as text. Anything else is refused with a code.

import { tryParseJson } from "../../canon/bounded-json.js";
import { isPlainObject, type JsonObject, type JsonValue } from "../../canon/value.js";
import { MAX_HOPS, MAX_MARKER_BYTES } from "../../limits.js";
import { quoteForeign } from "../../text/mask.js";
import { PlumbError } from "../errors.js";

/** The JSON value of a text. Throws `PlumbError` `not-json`. */
export function readJson(text: string): JsonValue {
  const value = tryParseJson(text);
  if (value !== undefined) return value as JsonValue;
  throw new PlumbError("not-json", `this is not JSON: ${quoteForeign(text)}`, "Send one JSON value.");
}

/** Throws `PlumbError` `frame-malformed`. */
export function readMarkerName(name: unknown): string {
  const isUsable =
    typeof name === "string" &&
    name !== "" &&
    name.isWellFormed() &&
    !/\p{Cc}/u.test(name) &&
    new TextEncoder().encode(name).length <= MAX_MARKER_BYTES;
  if (isUsable) return name;
  const shown = typeof name === "string" ? JSON.stringify(quoteForeign(name)) : String(name);
  throw malformed(`${shown} cannot be the name of a marker`, "Use 1 to 255 bytes of UTF-8 without control characters.");
}

/** Throws `PlumbError` `frame-malformed`. */
export function readTrace(value: unknown): JsonObject {
  if (isPlainObject(value)) return value as JsonObject;
  throw malformed("the provenance of a message is not an object", "Send an object with id and path.");
}

export function malformed(what: string, hint: string): PlumbError {
  return new PlumbError("frame-malformed", what, hint);
}

/** The provenance of an answer: that of the message, and the agent behind it. `seq` counts the answers of the agent from 1. */
export function extendTrace(trace: JsonObject | undefined, agent: string, seq: number, hlc: string): JsonObject {
  const { id = `${agent}:${seq}`, path = [] } = trace ?? {};
  const hops = Array.isArray(path) ? path : [];
  return { ...trace, id, path: [...hops, { agent, seq }].slice(-MAX_HOPS), hlc };
}
