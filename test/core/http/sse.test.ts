import { describe, expect, it } from "vitest";
import { createSseReader } from "../../../src/core/http/sse.js";
import { plainDecoding } from "../../../src/core/http/json-readers.js";
import { MAX_STREAM_PART } from "../../../src/core/limits.js";
import { agentErrorOf } from "../../support/wire.js";

describe("createSseReader", () => {
  it("gives name and data of each event as soon as it is whole", () => {
    const reader = createSseReader(plainDecoding);
    expect(reader.feed("event: a\nda")).toEqual([]);
    expect(reader.feed("ta: 1\n\ndata: 2\ndata: 3\n\n: no\n\n")).toEqual([
      { event: "a", data: "1" },
      { event: "", data: "2\n3" },
    ]);
    expect(reader.end()).toEqual([]);
  });

  it("gives the last event without its blank line at the end alone", () => {
    const reader = createSseReader(plainDecoding);
    expect(reader.feed("data: 1")).toEqual([]);
    expect(reader.end()).toEqual([{ event: "", data: "1" }]);
  });

  it("ends a line at CR, LF or CRLF, at a CR at once", () => {
    const reader = createSseReader(plainDecoding);
    expect(reader.feed("data: 1\r\r")).toEqual([{ event: "", data: "1" }]);
    expect(reader.feed("\ndata: 2\r")).toEqual([]);
    expect(reader.feed("\n\r\ndata: 3\n\r")).toEqual([
      { event: "", data: "2" },
      { event: "", data: "3" },
    ]);
    expect(reader.end()).toEqual([]);
  });

  it.each([
    ["one CR before millions of LF", ":\r" + ":\n".repeat(2_000_000)],
    ["millions of CR", ":\r".repeat(2_000_000)],
  ])("reads %s once, fed in one piece", (_name, text) => {
    expect(createSseReader(plainDecoding).feed(`${text}data: 1\n\n`)).toEqual([{ event: "", data: "1" }]);
  });

  it("refuses an event without end before it fills the memory", async () => {
    const reader = createSseReader(plainDecoding);
    const piece = "x".repeat(1024 * 1024);
    reader.feed("data: ");
    let fed = 0;
    const error = await agentErrorOf(() => {
      for (;;) {
        reader.feed(piece);
        fed += piece.length;
      }
    });
    expect(error).toMatchObject({ code: "provider-response", retryable: false });
    expect(error.message).toBe(`the vendor streamed an event larger than ${MAX_STREAM_PART} characters`);
    expect(fed).toBeLessThanOrEqual(MAX_STREAM_PART);
  });
});
