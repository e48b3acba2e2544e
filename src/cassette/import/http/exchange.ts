// One exchange of a recording, in the same words whichever tool recorded it.

import type { JsonValue } from "../../../core/index.js";
import { EXCHANGE_HEADERS } from "../../file/exchanges.js";
import { isObject, toList, toText } from "../foreign-json.js";

/** A body as a recording has it: text, bytes (perhaps compressed), JSON that the recorder parsed, or nothing. */
export type RecordedBody =
  | { kind: "text"; text: string }
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "json"; value: JsonValue }
  | { kind: "none" }
  /** A body that cannot be restored, and why. */
  | { kind: "lost"; why: string };

/** The method is in capitals; the status is 0 if the recording lacks it. */
export interface HttpExchange {
  method: string;
  url: string;
  status: number;
  request: RecordedBody;
  answer: RecordedBody;
  /** `content-encoding` of the answer in lower case, or "" without one. */
  encoding: string;
  /** `content-type` of the request. */
  type?: string;
  /** Headers of the answer that a client reacts to. */
  headers?: Record<string, string>;
  /** A browser loaded it for a page: an image, a script. */
  isAsset?: boolean;
}

export interface HttpRecording {
  name?: string;
  exchanges: HttpExchange[];
}

export function toBody(value: JsonValue | undefined): RecordedBody {
  if (value === undefined || value === null) return { kind: "none" };
  return typeof value === "string" ? { kind: "text", text: value } : { kind: "json", value };
}

/** Returns the `content-encoding` in lower case, or "" without one. */
export function encodingOf(headers: JsonValue | undefined): string {
  return headerOf(headers, "content-encoding").toLowerCase();
}

/** The headers that a cassette keeps. `type` is the content type if no header names it. */
export function keptHeaders(headers: JsonValue | undefined, type = ""): Record<string, string> {
  const kept = EXCHANGE_HEADERS.map((name) => [name, headerOf(headers, name)] as const);
  const own = kept.filter(([, value]) => value !== "");
  return { ...(type === "" ? {} : { "content-type": type }), ...Object.fromEntries(own) };
}

/**
 * Finds a header by its name in lower case. Returns "" if it is missing. Headers are an object whose values may be lists, a list of
 * {name, value} (HAR), or names and values in turns (nock).
 */
export function headerOf(headers: JsonValue | undefined, header: string): string {
  const isName = (name: JsonValue | undefined): boolean => toText(name).toLowerCase() === header;
  const values = toList(headers).flatMap((item, index, list) => {
    if (isObject(item)) return isName(item["name"]) ? [item["value"]] : [];
    return index % 2 === 0 && isName(item) ? [list[index + 1]] : [];
  });
  const [value] = isObject(headers)
    ? (Object.entries(headers)
        .find(([name]) => isName(name))
        ?.slice(1) ?? [])
    : values;
  return toText(Array.isArray(value) ? value[0] : value);
}
