import fc from "fast-check";
import { canonicalize } from "json-canonicalize";
import { describe, expect, it } from "vitest";
import { canonicalText, hashOf, PromptHasher } from "../../../../src/cli/verify/independent/canonical.js";
import { hashJson } from "../../../../src/core/canon/digest.js";
import { canonicalize as first } from "../../../../src/core/canon/json.js";
import { jsonValue } from "../../../../src/harness/arbitraries/index.js";

describe("the faults of json-canonicalize", () => {
  const withToJson: unknown = JSON.parse('{"b":{"z":1,"a":[{"d":1,"c":2}],"toJSON":"x"},"a":2}');

  it("leaves an object with the key toJSON unsorted, so such objects are handed over in parts", () => {
    expect(canonicalize(withToJson)).not.toBe(first(withToJson));
    expect(canonicalText(withToJson)).toBe('{"a":2,"b":{"a":[{"c":2,"d":1}],"toJSON":"x","z":1}}');
  });

  it("calls a function under toJSON in place of writing the object, and such an object is never handed over", () => {
    expect(canonicalize({ b: 1, toJSON: () => "other" })).toBe('"other"');
    expect(() => canonicalText({ b: 1, toJSON: () => "other" })).not.toThrow();
    expect(canonicalText({ b: 1, toJSON: () => "other" })).not.toBe('"other"');
  });

  it("takes an object that is referenced twice for a cycle, so it is handed over twice", () => {
    const shared = { b: 1, a: [] };
    const value = { a: shared, ab: shared, list: [shared, shared] };
    expect(() => canonicalize(value)).toThrow("Circular reference detected");
    expect(canonicalText(value)).toBe(first(value));
  });
});

describe("the second implementation", () => {
  it("writes the canonical text of the first for any JSON value", () => {
    const key = fc.oneof(fc.constantFrom("toJSON", "__proto__", "10", "9", "é"), fc.string({ maxLength: 3 }));
    const withTraps = fc.dictionary(key, jsonValue({ maxDepth: 3, maxItems: 3 }), { maxKeys: 4 });
    fc.assert(
      fc.property(fc.oneof(jsonValue({ maxDepth: 6, maxItems: 4, negativeZero: true }), withTraps), (value) => {
        expect(canonicalText(value)).toBe(first(value));
        expect(hashOf(value)).toBe(hashJson(value));
      }),
      { numRuns: 1_500 },
    );
  });

  it("hashes a prompt that grows, shrinks and grows as the whole list", () => {
    const step = fc.record({
      keep: fc.nat(20),
      messages: fc.array(jsonValue({ maxDepth: 2, maxItems: 2 }), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const hasher = new PromptHasher();
        let prompt: unknown[] = [];
        for (const { keep, messages } of steps) {
          const kept = Math.min(keep, prompt.length);
          prompt = [...prompt.slice(0, kept), ...messages];
          expect(hasher.next(kept, messages)).toBe(hashJson(prompt));
          expect(hasher.length).toBe(prompt.length);
        }
      }),
      { numRuns: 200 },
    );
  });
});
