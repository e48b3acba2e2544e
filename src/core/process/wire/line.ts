// Lines of JSON on standard streams. Plain: data alone. Multiplexed: each line names its stream. A writer always wraps what it sends, so
// that a message with a key `__port` stays a message.

import { isPlainObject } from "../../canon/value.js";
import { showValue } from "../../text/show.js";
import { EOF, type WireItem } from "./item.js";
import { readJson, readMarkerName, readTrace } from "./payload.js";
import { isPort, type PortName } from "./ports.js";

const MARKER = "\u0001";

/** A line without its line feed. End of file stands for `eof`, so a plain writer never asks for its line. */
export function encodePlainLine(item: Exclude<WireItem, { kind: "eof" }>): string {
  return item.kind === "marker" ? MARKER + readMarkerName(item.name) : JSON.stringify(item.value);
}

export function encodeLine(port: PortName, item: WireItem): string {
  switch (item.kind) {
    case "eof":
      return JSON.stringify({ __port: port, __eof: true });
    case "marker":
      return JSON.stringify({ __port: port, __marker: readMarkerName(item.name) });
    case "message": {
      const { value: payload, trace } = item;
      return JSON.stringify(trace === undefined ? { __port: port, payload } : { __port: port, payload, trace });
    }
  }
}

/** Throws `PlumbError` `not-json` or `frame-malformed`. */
export function decodePlainLine(line: string): WireItem {
  if (line.startsWith(MARKER)) return { kind: "marker", name: readMarkerName(line.slice(1)) };
  return { kind: "message", value: readJson(line) };
}

export type Addressed =
  { readonly port: PortName; readonly item: WireItem } | { readonly port: "unknown"; readonly name: string };

/** A line without a `__port` belongs to `data`. Throws `PlumbError` `not-json` or `frame-malformed`. */
export function decodeLine(line: string, data: "data_in" | "data_out"): Addressed {
  const item = decodePlainLine(line);
  if (item.kind !== "message" || !isPlainObject(item.value) || !Object.hasOwn(item.value, "__port"))
    return { port: data, item };
  const { __port: port, __eof: eof, __marker: marker, payload, trace } = item.value;
  if (!isPort(port)) return { port: "unknown", name: showValue(port) };
  if (eof === true) return { port, item: EOF };
  if (marker !== undefined) return { port, item: { kind: "marker", name: readMarkerName(marker) } };
  const value = payload ?? null;
  return {
    port,
    item: trace === undefined ? { kind: "message", value } : { kind: "message", value, trace: readTrace(trace) },
  };
}
