// Frames of the event stream encoding, made by hand, cut at every byte, and damaged at every byte.

import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createFrameReader, toFrame } from "../../../src/core/http/event-frames.js";
import type { StreamPart } from "../../../src/core/http/fold.js";
import { MAX_STREAM_PART } from "../../../src/core/limits.js";

/** A frame as the specification builds it, with the checksums of zlib. */
function frame(headers: Buffer, payload: string, length = 16 + headers.length + Buffer.byteLength(payload)): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const whole = Buffer.concat([prelude, headers, Buffer.from(payload), Buffer.alloc(4)]);
  whole.writeUInt32BE(crc32(whole.subarray(0, -4)), whole.length - 4);
  return whole;
}

function header(name: string, type: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([type]), value]);
}

function text(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(value.length);
  return header(name, 7, Buffer.concat([length, Buffer.from(value)]));
}

const event = (type: string, payload: string): Buffer =>
  frame(Buffer.concat([text(":event-type", type), text(":message-type", "event")]), payload);

function readAll(...pieces: readonly Uint8Array[]): StreamPart[] {
  const reader = createFrameReader();
  return [...pieces.flatMap((piece) => reader.feed(piece)), ...reader.end()];
}

const ONE = event("one", '{"a":"ä𝄞"}');
const TWO = event("two", "");
const PARTS = [
  { event: "", data: '{"one":{"a":"ä𝄞"}}' },
  { event: "", data: '{"two":{}}' },
];

describe("frames", () => {
  it("are parts with the name of their event", () => {
    expect(readAll(Buffer.concat([ONE, TWO]))).toEqual(PARTS);
  });

  it("may be cut at every byte, or come byte by byte", () => {
    const both = Buffer.concat([ONE, TWO]);
    for (let at = 0; at <= both.length; at++) {
      expect(readAll(both.subarray(0, at), both.subarray(at))).toEqual(PARTS);
    }
    expect(readAll(...Array.from(both, (byte) => Uint8Array.of(byte)))).toEqual(PARTS);
  });

  it("are not read before their last byte", () => {
    for (let end = 0; end < ONE.length; end++) expect(readAll(ONE.subarray(0, end))).toEqual([]);
  });

  it("have a flaw if any byte is damaged, and nothing is read after it", () => {
    for (let at = 0; at < ONE.length; at++) {
      const damaged = Buffer.from(ONE);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      const parts = readAll(TWO, damaged, TWO, TWO);
      expect(parts).toHaveLength(2);
      expect(parts[0]).toEqual(PARTS[1]);
      expect(parts[1]?.flaw).toContain("checksum");
    }
  });

  it("have a flaw if a length cannot be right", () => {
    const short = frame(text("a", "b"), "", 12);
    expect(readAll(short)).toEqual([{ event: "", data: "", flaw: "a frame that is shorter than its headers" }]);
    const large = frame(Buffer.alloc(0), "", MAX_STREAM_PART + 1);
    expect(readAll(large)[0]?.flaw).toBe(`a frame larger than ${MAX_STREAM_PART} bytes`);
    for (const headers of [Buffer.from([200, 1]), Buffer.from([1, 97, 7, 0]), Buffer.from([1, 97, 7, 0, 9, 98])]) {
      expect(readAll(frame(headers, "{}"))[0]?.flaw).toBe("a frame with malformed headers");
    }
  });

  it("may have headers of every type", () => {
    const sizes = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
    const others = Object.entries(sizes).map(([type, size]) => header("x", Number(type), Buffer.alloc(size)));
    const bytes = header("y", 6, Buffer.from([0, 2, 1, 1]));
    const headers = Buffer.concat([...others, bytes, text(":event-type", "one")]);
    expect(readAll(frame(headers, "{}"))).toEqual([{ event: "", data: '{"one":{}}' }]);
  });

  it("may be exceptions and errors", () => {
    const exception = [text(":message-type", "exception"), text(":exception-type", "throttlingException")];
    const error = [text(":message-type", "error"), text(":error-code", "500"), text(":error-message", "gone")];
    const [one, two] = readAll(frame(Buffer.concat(exception), '{"message":"wait"}'), frame(Buffer.concat(error), ""));
    expect(JSON.parse(one?.data ?? "")).toEqual({ error: { type: "throttlingException", message: "wait" } });
    expect(JSON.parse(two?.data ?? "")).toEqual({ error: { type: "500", message: "gone" } });
  });

  it("are written as they are read", () => {
    expect(toFrame({ ":event-type": "one", ":message-type": "event" }, '{"a":"ä𝄞"}')).toEqual(new Uint8Array(ONE));
  });
});
