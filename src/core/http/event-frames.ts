// Frames of application/vnd.amazon.eventstream as the parts of a stream. Specification: Smithy, "Amazon Event Stream". A frame has its
// length, the length of its headers, a CRC-32 of both, the headers, a payload, and a CRC-32 of all bytes before it.

import { joinBytes } from "../canon/bytes.js";
import { tryParseJson } from "../canon/bounded-json.js";
import { MAX_STREAM_PART } from "../limits.js";
import type { PartReader, StreamPart } from "./fold.js";
import { toObject, toText } from "./json-readers.js";

export const FRAMES_TYPE = "application/vnd.amazon.eventstream";

const PRELUDE_LENGTH = 12;
const SUM_LENGTH = 4;
const STRING_TYPE = 7;

/** The length of a header's value by its type. Absent for types that carry their length. */
const VALUE_LENGTHS: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

/** Reads frames. An event is the part `{[type]: payload}`, an exception is `{error: {type, message}}`. Stops at the first flaw. */
export function createFrameReader(): PartReader<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let held = 0;
  let wanted = PRELUDE_LENGTH;
  let isLost = false;

  /** Takes the frame at the start of `bytes`. Undefined if more bytes are needed. */
  const takeFrame = (bytes: Uint8Array): StreamPart | undefined => {
    if (bytes.length < (wanted = PRELUDE_LENGTH)) return undefined;
    const view = viewOf(bytes);
    const [length, headersLength] = [view.getUint32(0), view.getUint32(4)];
    if (view.getUint32(8) !== crc32(bytes.subarray(0, 8))) return flawed("a frame whose prelude has a wrong checksum");
    if (length > MAX_STREAM_PART) return flawed(`a frame larger than ${MAX_STREAM_PART} bytes`);
    if (length < PRELUDE_LENGTH + headersLength + SUM_LENGTH) return flawed("a frame that is shorter than its headers");
    if (bytes.length < (wanted = length)) return undefined;
    const end = length - SUM_LENGTH;
    if (view.getUint32(end) !== crc32(bytes.subarray(0, end))) return flawed("a frame with a wrong checksum");
    const start = PRELUDE_LENGTH + headersLength;
    const headers = readHeaders(bytes.subarray(PRELUDE_LENGTH, start));
    return headers === undefined
      ? flawed("a frame with malformed headers")
      : toPart(headers, bytes.subarray(start, end));
  };
  return {
    feed(piece) {
      pieces.push(piece);
      held += piece.length;
      if (isLost || held < wanted) return [];
      const bytes = joinBytes(pieces);
      const parts: StreamPart[] = [];
      let start = 0;
      for (;;) {
        const part = takeFrame(bytes.subarray(start));
        if (part === undefined) break;
        parts.push(part);
        isLost = part.flaw !== undefined;
        if (isLost) break;
        start += wanted;
      }
      pieces = [bytes.slice(start)];
      held = bytes.length - start;
      return parts;
    },
    // A frame that is not whole says nothing. The fold knows that the stream was cut.
    end: () => [],
  };
}

function flawed(flaw: string): StreamPart {
  return { event: "", data: "", flaw };
}

/** The string headers by name. Undefined if their lengths do not fit. */
function readHeaders(bytes: Uint8Array): Map<string, string> | undefined {
  const view = viewOf(bytes);
  const headers = new Map<string, string>();
  const text = new TextDecoder();
  let at = 0;
  try {
    while (at < bytes.length) {
      const nameEnd = at + 1 + view.getUint8(at);
      const type = view.getUint8(nameEnd);
      const fixed = VALUE_LENGTHS[type];
      const start = nameEnd + (fixed === undefined ? 3 : 1);
      const end = start + (fixed ?? view.getUint16(nameEnd + 1));
      if (end > bytes.length) return undefined;
      if (type === STRING_TYPE)
        headers.set(text.decode(bytes.subarray(at + 1, nameEnd)), text.decode(bytes.subarray(start, end)));
      at = end;
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return headers;
}

function toPart(headers: ReadonlyMap<string, string>, payload: Uint8Array): StreamPart {
  const text = new TextDecoder().decode(payload);
  const of = (name: string): string => headers.get(name) ?? "";
  const isEvent = !["exception", "error"].includes(of(":message-type"));
  if (isEvent) return { event: "", data: `{${JSON.stringify(of(":event-type"))}:${text === "" ? "{}" : text}}` };
  const type = of(":exception-type") || of(":error-code") || "error";
  const message = toText(toObject(tryParseJson(text))["message"]) || of(":error-message") || text;
  return { event: "error", data: JSON.stringify({ error: { type, message } }) };
}

/** A frame with string headers and a payload of text. */
export function toFrame(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const text = new TextEncoder();
  const fields = Object.entries(headers).map(([name, value]) => [text.encode(name), text.encode(value)] as const);
  const headersLength = fields.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  const body = text.encode(payload);
  const frame = new Uint8Array(PRELUDE_LENGTH + headersLength + body.length + SUM_LENGTH);
  const view = viewOf(frame);
  view.setUint32(0, frame.length);
  view.setUint32(4, headersLength);
  view.setUint32(8, crc32(frame.subarray(0, 8)));
  let at = PRELUDE_LENGTH;
  for (const [name, value] of fields) {
    view.setUint8(at, name.length);
    frame.set(name, at + 1);
    at += 1 + name.length;
    view.setUint8(at, STRING_TYPE);
    view.setUint16(at + 1, value.length);
    frame.set(value, at + 3);
    at += 3 + value.length;
  }
  frame.set(body, at);
  view.setUint32(frame.length - SUM_LENGTH, crc32(frame.subarray(0, frame.length - SUM_LENGTH)));
  return frame;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The remainders of single bytes for the reflected polynomial of CRC-32 (ISO-HDLC). */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  return rest;
});

function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ (REMAINDERS[(rest ^ byte) & 0xff] as number);
  return (rest ^ 0xffffffff) >>> 0;
}
