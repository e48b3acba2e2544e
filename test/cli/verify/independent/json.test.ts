import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../../src/cassette/errors.js";
import { parseStrictJson } from "../../../../src/cassette/file/json.js";
import { readJson } from "../../../../src/cli/verify/independent/json.js";

const read = (text: string) => readJson(Buffer.from(text));

function isRefusedByFirst(bytes: Uint8Array): boolean {
  try {
    parseStrictJson(bytes);
    return false;
  } catch (error) {
    if (error instanceof CassetteError) return true;
    throw error;
  }
}

describe("readJson", () => {
  it.each([
    ['{"a":1,"a":1}', "a duplicate key"],
    ['{"a":{"b":1,"\\u0062":1}}', "a duplicate key"],
    ["[9007199254740993]", "is read as 9007199254740992"],
    ["[1e-400]", "is read as 0"],
    ["[1e400]", "is too large for a double"],
    ['["\\ud800"]', "a lone surrogate"],
    ['{"\\ud800":1}', "a lone surrogate"],
    ["\uFEFF{}", "a byte-order mark"],
    ['{"a":', "not JSON"],
    ['{"a":"', "not JSON"],
    ["[".repeat(129) + "]".repeat(129), "nested deeper than 128 levels"],
  ])("refuses %s: %s", (text, flaw) => {
    expect(read(text)).toEqual({ flaw: expect.stringContaining(flaw) as string });
  });

  it("refuses bytes that are not UTF-8", () => {
    expect(readJson(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({ flaw: "the bytes are not UTF-8" });
  });

  it.each([
    '{"a\\"b:":"c: {}[] 1e999 \\\\"}',
    "[-0, 1.0, 10e-1, 0.10, 1E2, 100, 0e999]",
    '{"__proto__":{"a":1}}',
    '"\\\\"',
  ])("reads %s", (text) => {
    expect(read(text)).toEqual({ value: JSON.parse(text) as unknown });
  });

  it("reads and refuses what the first reader does, on any text", () => {
    const piece = fc.constantFrom(
      '"a"',
      '"b"',
      '"\\""',
      ":",
      ":",
      ",",
      "{",
      "}",
      "[",
      "]",
      "1",
      "1.50",
      "-1e-7",
      "12345678901234567890",
      " ",
    );
    const number = fc
      .tuple(fc.nat(9), fc.bigInt(), fc.integer({ min: -330, max: 330 }))
      .map(([a, b, e]) => `[${a}.${b < 0n ? -b : b}e${e}]`);
    const members = fc
      .array(fc.constantFrom("a", "b", "c", "\\u0061"), { maxLength: 4 })
      .map((keys) => `{${keys.map((key) => `"${key}":{"${key}":[]}`).join(",")}}`);
    const text = fc.oneof(
      fc.json({ stringUnit: "binary" }),
      fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join("")),
      number,
      members,
    );
    fc.assert(
      fc.property(text, (json) => {
        const result = read(json);
        expect("flaw" in result).toBe(isRefusedByFirst(Buffer.from(json)));
        if ("value" in result) expect(result.value).toEqual(parseStrictJson(json));
      }),
      { numRuns: 800 },
    );
  });
});
