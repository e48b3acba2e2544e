// One frame: the length of the topic in four bytes, big-endian, the topic, and the payload. The first byte of the payload says what it is.

import { joinBytes } from "../../canon/bytes.js";
import { MAX_TOPIC_BYTES, MAX_TRACE_BYTES } from "../../limits.js";
import { PlumbError } from "../errors.js";
import { EOF, type WireItem } from "./item.js";
import { malformed, readJson, readMarkerName, readTrace } from "./payload.js";

const MARKER = 0x01;
const TRACED = 0x02;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** `topic` is the name of the agent. Throws `PlumbError` `frame-malformed`. */
export function encodeFrame(topic: string, item: WireItem): Uint8Array {
  const name = encoder.encode(topic);
  if (name.length === 0 || name.length > MAX_TOPIC_BYTES || !topic.isWellFormed())
    throw malformed(`the topic has ${name.length} bytes`, `Use 1 to ${MAX_TOPIC_BYTES} bytes of UTF-8.`);
  return joinBytes([uint32(name.length), name, ...encodePayload(item)]);
}

function encodePayload(item: WireItem): Uint8Array[] {
  switch (item.kind) {
    case "eof":
      return [];
    case "marker":
      return [Uint8Array.of(MARKER), encoder.encode(readMarkerName(item.name))];
    case "message": {
      const value = encoder.encode(JSON.stringify(item.value));
      if (item.trace === undefined) return [value];
      const trace = encoder.encode(JSON.stringify(item.trace));
      if (trace.length > MAX_TRACE_BYTES) throw malformed(`the provenance has ${trace.length} bytes`, "Shorten it.");
      return [Uint8Array.of(TRACED), uint32(trace.length), trace, value];
    }
  }
}

/** Throws `PlumbError` `frame-malformed` or `not-json`. */
export function decodeFrame(frame: Uint8Array): { topic: string; item: WireItem } {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const length = frame.length < 4 ? 0 : view.getUint32(0);
  if (length === 0 || length > MAX_TOPIC_BYTES || length > frame.length - 4)
    throw malformed(
      `a frame of ${frame.length} bytes has an incomplete topic`,
      "Send its length, the topic and the payload.",
    );
  return { topic: toText(frame.subarray(4, 4 + length), "the topic"), item: decodePayload(frame.subarray(4 + length)) };
}

function decodePayload(payload: Uint8Array): WireItem {
  switch (payload[0]) {
    case undefined:
      return EOF;
    case MARKER:
      return { kind: "marker", name: readMarkerName(toText(payload.subarray(1), "the name of a marker")) };
    case TRACED:
      return decodeTraced(payload);
    default:
      return { kind: "message", value: readJson(toText(payload, "a message")) };
  }
}

function decodeTraced(payload: Uint8Array): WireItem {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const length = payload.length < 5 ? Infinity : view.getUint32(1);
  if (length > MAX_TRACE_BYTES || length > payload.length - 5)
    throw malformed("the provenance of a message is cut or too long", `Use at most ${MAX_TRACE_BYTES} bytes.`);
  const trace = readTrace(readJson(toText(payload.subarray(5, 5 + length), "the provenance")));
  return { kind: "message", value: readJson(toText(payload.subarray(5 + length), "a message")), trace };
}

function toText(bytes: Uint8Array, what: string): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new PlumbError("frame-malformed", `${what} is not UTF-8`, "Send UTF-8.", { cause });
  }
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
