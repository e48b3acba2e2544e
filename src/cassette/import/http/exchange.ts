// One exchange of a recording: a request and its answer as some recorder of HTTP kept them, its own words taken off.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { isObject, toText } from "../value.js";

/** A body as a recording has it: text, bytes (perhaps compressed), JSON that was parsed by the recorder, or nothing. */
export type RecordedBody =
  | { kind: "text"; text: string }
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "json"; value: JsonValue }
  | { kind: "none" }
  /** A body that cannot be had, and why. */
  | { kind: "lost"; why: string };

/** One exchange. The method is in capitals; the status is 0 where the recording has none. */
export interface HttpExchange {
  method: string;
  url: string;
  status: number;
  request: RecordedBody;
  answer: RecordedBody;
  /** `content-encoding` of the answer, in small letters; "" where there is none. */
  encoding: string;
}

/** What a recording's own reader gives. */
export interface HttpRecording {
  /** What the recording calls itself. */
  name?: string;
  exchanges: HttpExchange[];
}

/** Text, parsed JSON, or nothing. */
export function toBody(value: JsonValue | undefined): RecordedBody {
  if (value === undefined || value === null) return { kind: "none" };
  return typeof value === "string" ? { kind: "text", text: value } : { kind: "json", value };
}

/** The first value of a header, whatever its capitals; "" where there is none. Values may be texts or lists of them. */
export function headerOf(headers: JsonValue | undefined, name: string): string {
  if (!isObject(headers)) return "";
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name) return toText(Array.isArray(value) ? value[0] : value);
  }
  return "";
}

/** The object at `name`, or an empty one. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}
