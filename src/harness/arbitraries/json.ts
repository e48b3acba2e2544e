// Arbitrary plain JSON (RFC 8259), with keys and numbers that code gets wrong. `__proto__` is an own key like any other.

import fc from "fast-check";
import { assertKnownOptions, FORBIDDEN_KEYS, type JsonObject, type JsonValue } from "../../core/index.js";
import { either } from "./either.js";
import { text, word } from "./text.js";

export interface JsonOptions {
  /** Most levels of containers inside the value. Default 3. */
  readonly maxDepth?: number;
  /** Most items of a list, and keys of an object. Default 3. */
  readonly maxItems?: number;
  /** False leaves out hostile keys, awkward text and extreme numbers. Default true. */
  readonly traps?: boolean;
  /** True also gives -0, which JSON text does not keep. Default false. */
  readonly negativeZero?: boolean;
}

/** Keys that reach prototypes, are called by the language, sort oddly, or are easily taken for absent. */
export const TRAP_KEYS: readonly string[] = [
  ...FORBIDDEN_KEYS,
  ...["toString", "toJSON", "hasOwnProperty", "then", "length"],
  ...["", "10", "9", "é", "\u{1f600}", "\ufb33"],
];

/** Any JSON value. Shrinks to null. */
export function jsonValue(options: JsonOptions = {}): fc.Arbitrary<JsonValue> {
  return trees("jsonValue", options).value;
}

/** Any JSON object. Shrinks to {}. */
export function jsonObject(options: JsonOptions = {}): fc.Arbitrary<JsonObject> {
  return trees("jsonObject", options).object;
}

function trees(owner: string, options: JsonOptions) {
  assertKnownOptions(owner, options, ["maxDepth", "maxItems", "traps", "negativeZero"]);
  const { maxDepth = 3, maxItems: maxLength = 3, traps = true, negativeZero = false } = options;
  const depthIdentifier = fc.createDepthIdentifier();
  const bounds = { maxLength, depthIdentifier };
  const key = traps ? either([3, text()], fc.constantFrom(...TRAP_KEYS)) : word();
  return fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { maxDepth, depthIdentifier, withCrossShrink: true },
      leaf(traps, negativeZero),
      fc.array(tie("value"), bounds),
      tie("object"),
    ),
    object: fc.array(fc.tuple(key, tie("value")), bounds).map((pairs) => Object.fromEntries(pairs)),
  }));
}

function leaf(traps: boolean, negativeZero: boolean): fc.Arbitrary<JsonValue> {
  if (!traps) return either<JsonValue>(fc.constantFrom(null, true, false), fc.integer(), fc.string({ maxLength: 12 }));
  const extreme = [0, 1e21, 5e-324, -1.5, Number.MAX_SAFE_INTEGER, ...(negativeZero ? [-0] : [])];
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  return either<JsonValue>(
    fc.constantFrom<JsonValue[]>(null, true, false, ...extreme),
    fc.integer(),
    negativeZero ? double : double.map((number) => (number === 0 ? 0 : number)),
    text(),
  );
}
