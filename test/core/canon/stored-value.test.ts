// The size of a stored value, which is measured without writing its canonical JSON.

import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalize } from "../../../src/core/canon/json.js";
import { ownStoredValue } from "../../../src/core/canon/stored-value.js";
import type { JsonValue } from "../../../src/core/canon/value.js";
import { refusal } from "../../support/refusal.js";

const bytesOf = (value: JsonValue): number => {
  const { message } = refusal(() => ownStoredValue("it", value, 0)) as Error;
  return Number(/it has (\d+) bytes/.exec(message)?.[1]);
};

it.each<[string, JsonValue]>([
  ["plain text", "a ~[!"],
  ["a quote", 'a"b'],
  ["a backslash", "a\\b"],
  ["a control character", "a\u001fb"],
  ["a line break at the end", "a\n"],
  ["a character of two bytes", "aé"],
  ["a character of four bytes", "a😀"],
  ["a large value, and small ones in it", { list: ["x".repeat(300), { a: 1, b: [] }, {}], last: null }],
])("the bytes of %s are those of its canonical JSON", (_, value) => {
  expect(bytesOf(value)).toBe(Buffer.byteLength(canonicalize(value)));
  expect(bytesOf(value)).toBe(Buffer.byteLength(canonicalize(value)));
});

it("the bytes of any value are those of its canonical JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme" }), (value) => {
      expect(bytesOf(value as JsonValue)).toBe(Buffer.byteLength(canonicalize(value as JsonValue)));
    }),
  );
});
