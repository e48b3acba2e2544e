import fc from "fast-check";
import { canonicalize as jcs } from "json-canonicalize";
import { describe, expect, it } from "vitest";
import { copyJson, seal } from "../../src/core/canon/copy.js";
import { canonicalize } from "../../src/core/canon/json.js";
import { NotJsonError, type JsonValue } from "../../src/core/canon/value.js";
import * as node from "../../src/platform/crypto-node.js";
import * as portable from "../../src/platform/crypto-portable.js";
import { jsonValue } from "../../src/harness/arbitraries/json.js";
import { objectsIn } from "../support/arbitraries.js";

const json = jsonValue({ maxDepth: 6, maxItems: 4, negativeZero: true });

/** The two inputs on which json-canonicalize 3.0.1 is known to be wrong; the second cannot occur in a fresh value. */
const isKnownFault = (value: JsonValue) => objectsIn(value).some((object) => "toJSON" in object);

describe("canonical text", () => {
  it("equals json-canonicalize on any JSON without its known faults", () => {
    fc.assert(
      fc.property(json, (value) => {
        fc.pre(!isKnownFault(value));
        expect(canonicalize(value)).toBe(jcs(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it("sorts few keys and many alike", () => {
    const keys = fc.uniqueArray(fc.string({ unit: "binary", maxLength: 3 }), { maxLength: 40 });
    fc.assert(
      fc.property(keys, (names) => {
        const value = Object.fromEntries(names.map((name) => [name, 1]));
        fc.pre(!isKnownFault(value));
        expect(canonicalize(value)).toBe(jcs(value));
        expect(canonicalize(seal(value as object))).toBe(jcs(value));
      }),
      { numRuns: 500 },
    );
  });

  it("is read back by JSON.parse to a value with the same text", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalize(value);
        expect(canonicalize(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("does not depend on the order of keys", () => {
    fc.assert(
      fc.property(json, fc.func(fc.double({ noNaN: true })), (value, rank) => {
        expect(canonicalize(reorder(value, rank))).toBe(canonicalize(value));
      }),
      { numRuns: 500 },
    );
  });

  it("differs for values that differ", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const same = JSON.stringify(reorder(a, sortKeys)) === JSON.stringify(reorder(b, sortKeys));
        expect(canonicalize(a) === canonicalize(b)).toBe(same);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is the same of a value, its copy and its sealed copy", () => {
    fc.assert(
      fc.property(json, (value) => {
        const boxed = { value };
        expect(canonicalize(copyJson(boxed))).toBe(canonicalize(boxed));
        expect(canonicalize(seal(boxed))).toBe(canonicalize(boxed));
        expect(JSON.stringify(copyJson(boxed))).toBe(JSON.stringify(boxed));
      }),
      { numRuns: 500 },
    );
  });

  it("is text or NotJsonError for anything at all", () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      stringUnit: fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
    });
    fc.assert(
      fc.property(anything, (value) => {
        const written = outcome(() => canonicalize(value));
        if (written instanceof NotJsonError) return;
        expect(canonicalize(JSON.parse(written as string))).toBe(written);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the two platforms", () => {
  // Lone surrogates included: both read them as U+FFFD.
  const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
  const bytes = fc.uint8Array({ maxLength: 200 });
  const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });

  it("agree on the digest of any text, at once and in pieces", () => {
    fc.assert(
      fc.property(fc.array(anyText), (pieces) => {
        expect(inPieces(portable, pieces)).toBe(inPieces(node, pieces));
        expect(portable.sha256Hex(pieces.join(""))).toBe(node.sha256Hex(pieces.join("")));
      }),
      { numRuns: 500 },
    );
  });

  it("hash well-formed text in pieces to the same digest as at once", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (pieces) => {
        expect(inPieces(node, pieces)).toBe(node.sha256Hex(pieces.join("")));
        expect(inPieces(portable, pieces)).toBe(node.sha256Hex(pieces.join("")));
      }),
    );
  });

  it("copy a running state without touching the original", () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (prefix, one, two) => {
        for (const platform of [node, portable]) {
          const state = platform.createSha256().update(prefix);
          const fork = state.copy();
          expect(fork.update(one).digest()).toBe(inPieces(node, [prefix, one]));
          expect(state.update(two).digest()).toBe(inPieces(node, [prefix, two]));
        }
      }),
    );
  });

  it("derive the same public key and sign with the same bytes, and each verifies the other", () => {
    fc.assert(
      fc.property(seed, bytes, (key, message) => {
        const [a, b] = [node.createSigner(key), portable.createSigner(key)];
        expect(b.publicKey).toEqual(a.publicKey);
        expect(b.sign(message)).toEqual(a.sign(message));
        expect(node.verifySignature(b.publicKey, message, b.sign(message))).toBe(true);
        expect(portable.verifySignature(a.publicKey, message, a.sign(message))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("agree on signatures that were tampered with", () => {
    fc.assert(
      fc.property(seed, bytes, fc.nat({ max: 511 }), (key, message, bit) => {
        const { publicKey, sign } = node.createSigner(key);
        const signature = sign(message);
        const at = bit >> 3;
        signature[at] = (signature[at] as number) ^ (1 << (bit & 7));
        expect(node.verifySignature(publicKey, message, signature)).toBe(false);
        expect(portable.verifySignature(publicKey, message, signature)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});

function inPieces(platform: typeof node | typeof portable, pieces: readonly string[]): string {
  const state = platform.createSha256();
  for (const piece of pieces) state.update(piece);
  return state.digest();
}

/** The same JSON with the keys of every object in the order that `rank` gives them. */
function reorder(value: JsonValue, rank: (key: string) => number | string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => reorder(item, rank));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.keys(value).map((key) => [key, reorder(value[key] as JsonValue, rank)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1)));
}

const sortKeys = (key: string) => key;

function outcome(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
