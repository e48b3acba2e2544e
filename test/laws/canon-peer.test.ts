// The canonical text against a second implementation of RFC 8785, the package `canonicalize` 4: equal on every JSON value, and where
// one of the two refuses, so does the other or the difference is named. No JSON value is known that the package writes wrongly; on
// what is not JSON it goes its own way.

import peer from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalize } from "../../src/core/canon/json.js";
import { NotJsonError } from "../../src/core/canon/value.js";
import { AWKWARD_TEXTS, jsonValue, notJson, TRAP_KEYS } from "../../src/harness/arbitraries/index.js";

describe("canonical text compared with that of canonicalize", () => {
  it("is equal on any JSON, hostile keys and -0 among it", () => {
    fc.assert(
      fc.property(jsonValue({ maxDepth: 6, maxItems: 4, negativeZero: true }), (value) => {
        expect(canonicalize(value)).toBe(peer(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is equal on what JSON.parse makes of any text that it reads", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (text) => {
        const value: unknown = JSON.parse(text);
        expect(canonicalize(value)).toBe(peer(value));
      }),
      { numRuns: 1_000 },
    );
  });

  it("is equal on numbers of every size and on their neighbours", () => {
    const bits = fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff)).map(([high, low]) => {
      const view = new DataView(new ArrayBuffer(8));
      view.setUint32(0, high);
      view.setUint32(4, low);
      return view.getFloat64(0);
    });
    fc.assert(
      fc.property(bits, (number) => {
        fc.pre(Number.isFinite(number));
        for (const near of [number, -number, Math.round(number), number * (1 + Number.EPSILON)]) {
          if (Number.isFinite(near)) expect(canonicalize([near])).toBe(peer([near]));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("is equal on keys of any order, each of them a trap", () => {
    const keys = fc.uniqueArray(
      fc.oneof(fc.constantFrom(...TRAP_KEYS, ...AWKWARD_TEXTS), fc.string({ unit: "binary", maxLength: 3 })),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(keys, (names) => {
        const value = Object.fromEntries(names.map((name, index) => [name, { [name]: index }]));
        expect(canonicalize(value)).toBe(peer(value));
      }),
      { numRuns: 500 },
    );
  });

  it("refuses lone surrogates, as it does", () => {
    const lone = fc
      .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1 })
      .map((units) => String.fromCharCode(...units))
      .filter((text) => !text.isWellFormed());
    fc.assert(
      fc.property(lone, (text) => {
        for (const value of [text, [text], { [text]: 1 }]) {
          expect(() => peer(value)).toThrow();
          expect(() => canonicalize(value)).toThrow(NotJsonError);
        }
      }),
    );
  });

  it("refuses whatever is not JSON, where the package leaves it out or writes something else", () => {
    fc.assert(fc.property(notJson(), ({ value }) => void expect(() => canonicalize(value)).toThrow(NotJsonError)));
    expect(peer({ a: () => 1, b: Symbol("s"), c: new Map([["d", 1]]) } as never)).toBe('{"a":undefined,"c":{}}');
    expect(peer({ toJSON: () => 1 } as never)).toBe("1");
    expect(peer([1, , 3] as never)).toBe("[1,,3]");
    expect(peer(undefined as never)).toBeUndefined();
  });
});
