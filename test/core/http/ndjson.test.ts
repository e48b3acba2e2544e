import { describe, expect, it } from "vitest";
import { createNdjsonReader } from "../../../src/core/http/ndjson.js";
import { plainDecoding } from "../../../src/core/http/json-readers.js";
import { MAX_STREAM_PART } from "../../../src/core/limits.js";
import { agentErrorOf } from "../../support/wire.js";

describe("createNdjsonReader", () => {
  it("gives each line as soon as it is whole, and the last at the end", () => {
    const reader = createNdjsonReader(plainDecoding);
    expect(reader.feed('{"a"')).toEqual([]);
    expect(reader.feed(':1}\r\n\n{"b":2}\n{"c"')).toEqual([
      { event: "", data: '{"a":1}' },
      { event: "", data: '{"b":2}' },
    ]);
    expect(reader.feed(":3}")).toEqual([]);
    expect(reader.end()).toEqual([{ event: "", data: '{"c":3}' }]);
  });

  it("refuses a line without end before it fills the memory", async () => {
    const reader = createNdjsonReader(plainDecoding);
    const piece = "x".repeat(1024 * 1024);
    const error = await agentErrorOf(() => {
      for (let fed = 0; fed <= MAX_STREAM_PART; fed += piece.length) reader.feed(piece);
    });
    expect(error.message).toBe(`the vendor streamed a line longer than ${MAX_STREAM_PART} characters`);
  });
});
