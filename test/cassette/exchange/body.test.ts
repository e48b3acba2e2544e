import { describe, expect, it } from "vitest";
import { toBytes, toRequestBody, toResponseBody } from "../../../src/cassette/exchange/body.js";
import { MAX_EXCHANGE_BYTES } from "../../../src/cassette/limits.js";
import { refusal } from "../../support/refusal.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const JSON_TYPE = "application/json; charset=utf-8";

describe("toResponseBody", () => {
  it("keeps JSON as a value, in its key order, if nothing of it is lost", () => {
    expect(toResponseBody(bytesOf('{ "b": [1.50, 2e2, -0.0125], "a": null }'), JSON_TYPE)).toEqual({
      json: { b: [1.5, 200, -0.0125], a: null },
    });
    expect(toResponseBody(bytesOf('{"a":1}'), "application/problem+json")).toEqual({ json: { a: 1 } });
    expect(toResponseBody(bytesOf("[]"), undefined)).toEqual({ json: [] });
  });

  it.each([
    ["an integer beyond 2^53", '{"id":9007199254740993}'],
    ["a key that occurs twice", '{"a":1,"a":2}'],
    ["a lone surrogate", '{"a":"\\ud83d"}'],
    ["a number beyond a double", '{"a":1e999}'],
    ["a byte-order mark", '\uFEFF{"a":1}'],
    ["a cut end", '{"a":'],
    ["more levels than a cassette has room for", "[".repeat(124) + "]".repeat(124)],
  ])("keeps JSON with %s as text", (_, text) => {
    expect(toResponseBody(bytesOf(text), JSON_TYPE)).toEqual({ text });
  });

  it("keeps the deepest JSON that a cassette has room for as a value", () => {
    const text = "[".repeat(123) + "]".repeat(123);
    expect(toResponseBody(bytesOf(text), JSON_TYPE)).toEqual({ json: JSON.parse(text) as unknown });
  });

  it.each(["text/event-stream", "text/plain", "application/x-ndjson", "application/jsonl", "application/xml", ""])(
    "keeps %s as text",
    (type) => {
      expect(toResponseBody(bytesOf("data: {}\n\n"), type)).toEqual({ text: "data: {}\n\n" });
    },
  );

  it("keeps other bytes in base64, and an empty answer not at all", () => {
    expect(toResponseBody(bytesOf("abc"), "audio/mpeg")).toEqual({ base64: "YWJj" });
    expect(toResponseBody(Uint8Array.of(0xff, 0xfe), "text/plain")).toEqual({ base64: "//4=" });
    expect(toResponseBody(new Uint8Array(), JSON_TYPE)).toBeUndefined();
  });

  it("gives back the bytes of text and base64, and JSON without spaces", () => {
    expect(toBytes({ base64: "//4=" })).toEqual(Uint8Array.of(0xff, 0xfe));
    expect(toBytes({ text: "\uFEFFä" })).toEqual(bytesOf("\uFEFFä"));
    expect(toBytes({ json: { b: 1, a: [] } })).toEqual(bytesOf('{"b":1,"a":[]}'));
    expect(toBytes(undefined)).toEqual(new Uint8Array());
  });

  it("refuses an answer beyond the limit by its size", () => {
    expect(refusal(() => toResponseBody(new Uint8Array(MAX_EXCHANGE_BYTES + 1), "audio/mpeg"))).toMatchObject({
      code: "not-recordable",
      summary: `the answer has ${MAX_EXCHANGE_BYTES + 1} bytes, more than the limit of ${MAX_EXCHANGE_BYTES}`,
    });
  });
});

describe("toRequestBody", () => {
  it("keeps the hash, size and type of bytes, whatever their number", () => {
    expect(toRequestBody(bytesOf("abc"), "audio/mpeg; rate=8000")).toEqual({
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      bytes: 3,
      type: "audio/mpeg",
    });
    expect(toRequestBody(new Uint8Array(MAX_EXCHANGE_BYTES + 1), "audio/mpeg")).toMatchObject({
      bytes: MAX_EXCHANGE_BYTES + 1,
    });
    expect(toRequestBody(Uint8Array.of(0xff), undefined)).toMatchObject({ bytes: 1 });
  });

  it("refuses a text beyond the limit", () => {
    const long = new Uint8Array(MAX_EXCHANGE_BYTES + 1).fill(0x20);
    expect(refusal(() => toRequestBody(long, JSON_TYPE))).toMatchObject({ code: "not-recordable" });
  });

  it("keeps the hash of a multipart body that cannot be read", () => {
    expect(toRequestBody(bytesOf("--b\r\n\r\nx"), "multipart/form-data; boundary=b")).toMatchObject({ bytes: 8 });
  });
});
