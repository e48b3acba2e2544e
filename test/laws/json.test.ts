// Laws of the strict reader: it reads what JSON.stringify writes, and refuses what is cut, doubled or half a character.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CassetteError } from "../../src/cassette/errors.js";
import { parseStrictJson } from "../../src/cassette/file/json.js";
import { json, jsonObject, text } from "../support/arbitraries.js";

function verdict(input: string | Uint8Array): string {
  try {
    parseStrictJson(input);
    return "accepted";
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    return error.code;
  }
}

/** A number of at most 400 places after the point as a whole number of 1e-400. */
function scaled(text: string): bigint {
  const [mantissa = "", exponent = "0"] = text.split("e");
  const [front = "", back = ""] = mantissa.split(".");
  return BigInt(front + back) * 10n ** BigInt(400 + Number(exponent) - back.length);
}

describe("laws of parseStrictJson", () => {
  it("reads back what was written, from text and from bytes", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), (value, indent) => {
        const written = JSON.stringify(value, null, indent);
        expect(parseStrictJson(written)).toEqual(value);
        expect(parseStrictJson(new TextEncoder().encode(written))).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it("accepts nothing that JSON.parse refuses, and gives the same value where both accept", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: fc.constantFrom(...'{}[],:"a1-.e \\u') }), fc.json()), (input) => {
        let expected: unknown;
        try {
          expected = JSON.parse(input);
        } catch {
          expect(verdict(input)).toBe("not-json");
          return;
        }
        if (verdict(input) === "accepted") expect(parseStrictJson(input)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("reads a number only as the value that is spelled", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 25 });
    const whole = digits.map((text) => text.replace(/^0+(?=.)/, ""));
    fc.assert(
      fc.property(whole, digits, fc.integer({ min: -340, max: 300 }), (front, back, exponent) => {
        const text = `${front}.${back}e${exponent}`;
        const value = Number(text);
        if (!Number.isFinite(value)) return;
        expect(verdict(text)).toBe(scaled(text) === scaled(String(value)) ? "accepted" : "number-inexact");
      }),
      { numRuns: 1000 },
    );
  });

  it("refuses every prefix of an object", () => {
    fc.assert(
      fc.property(jsonObject, (value) => {
        const bytes = new TextEncoder().encode(JSON.stringify(value));
        for (let length = 0; length < bytes.length; length++) {
          expect(["not-json", "not-utf8"]).toContain(verdict(bytes.subarray(0, length)));
        }
      }),
    );
  });

  it("refuses a key that stands twice in any object, however it is escaped", () => {
    const escaped = (key: string) =>
      `"${[...Array(key.length).keys()].map((at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
    fc.assert(
      fc.property(text, json, json, fc.boolean(), (key, first, second, isEscaped) => {
        const again = isEscaped ? escaped(key) : JSON.stringify(key);
        const inner = `{${JSON.stringify(key)}:${JSON.stringify(first)},${again}:${JSON.stringify(second)}}`;
        expect(verdict(`[{"around":${inner}}]`)).toBe("duplicate-key");
      }),
    );
  });

  it("refuses a lone surrogate in any string, key or value", () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom("\\ud800", "\\udbff", "\\udc00", "\\uDFFF"), (before, after, half) => {
        const quoted = `"${JSON.stringify(before).slice(1, -1)}${half}${JSON.stringify(`.${after}`).slice(1, -1)}"`;
        expect(verdict(`[${quoted}]`)).toBe("lone-surrogate");
        expect(verdict(`{${quoted}:1}`)).toBe("lone-surrogate");
      }),
    );
  });
});
