// Arbitrary plain JSON for the laws, hostile keys included.

import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/core/canon/value.js";

const HOSTILE_KEYS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "toJSON",
  "hasOwnProperty",
  "",
  "10",
  "9",
  "é",
  "\u{1f600}",
  "\ufb33",
];

/** Any string without lone surrogates. */
export const text = fc.string({ unit: "binary" });

const key = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_KEYS) });

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 1e21, 5e-324),
);

/** Plain JSON of any kind. `__proto__` is a key like any other. */
export const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), number, text),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map(fromEntries),
})).value;

/** A plain JSON object. */
export const jsonObject: fc.Arbitrary<JsonObject> = fc.array(fc.tuple(key, json), { maxLength: 5 }).map(fromEntries);

/** An object with exactly these own keys, `__proto__` included; of a key given twice the last one counts. */
export function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

/** Every object in `value`, itself included. */
export function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.keys(value).flatMap((name) => objectsIn((value as Record<string, unknown>)[name]));
  return Array.isArray(value) ? below : [value, ...below];
}
