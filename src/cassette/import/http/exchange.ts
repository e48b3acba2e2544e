// One exchange of a recording: a request and its answer, as some recorder of HTTP kept them.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { isObject, toText } from "../value.js";

/** A recorded body: text, bytes (perhaps compressed), JSON that the recorder parsed, or nothing. */
export type RecordedBody =
  | { kind: "text"; text: string }
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "json"; value: JsonValue }
  | { kind: "none" }
  /** A body that cannot be read, and why. */
  | { kind: "lost"; why: string };

/** One exchange. The method is in upper case. The status is 0 if the recording has none. */
export interface HttpExchange {
  method: string;
  url: string;
  status: number;
  request: RecordedBody;
  answer: RecordedBody;
  /** The answer's `content-encoding` in lower case, or "". */
  encoding: string;
}

/** A recording as its reader returns it. */
export interface HttpRecording {
  /** The recording's own name. */
  name?: string;
  exchanges: HttpExchange[];
}

/** Text, parsed JSON, or nothing. */
export function toBody(value: JsonValue | undefined): RecordedBody {
  if (value === undefined || value === null) return { kind: "none" };
  return typeof value === "string" ? { kind: "text", text: value } : { kind: "json", value };
}

/** The first value of a header, whatever the case of its name, or "". Values may be texts or lists of them. */
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
