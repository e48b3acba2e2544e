// Arbitrary JSON, and ways to change one place of it: for laws about what must be noticed.

import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/core/index.js";

/** Well-formed text of any script, awkward characters included. */
export const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constantFrom("", "\u0000", "\u2028", '"\\', "\r\n", "é", "e\u0301", "𝄞", "__proto__", "\uFEFF", "undefined"),
);

/** Plain JSON without -0, which JSON text does not keep. Keys may be `__proto__`. */
export const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: "json" },
    fc.constantFrom(null, true, false, 0, 1e21, 5e-324, -1.5),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    text,
    fc.array(tie("value"), { maxLength: 3, depthIdentifier: "json" }),
    fc
      .array(fc.tuple(text, tie("value")), { maxLength: 3, depthIdentifier: "json" })
      .map((pairs) => Object.fromEntries(pairs)),
  ),
})).value;

export const jsonObject: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(text, json), { maxLength: 3 })
  .map((pairs) => Object.fromEntries(pairs));

/** A change of one place, and the value with it. */
export interface Mutant {
  what: string;
  value: JsonValue;
}

/** Every way to change one place of `value`: each leaf, each key, each item, a key more, two items swapped. */
export function mutants(value: JsonValue, pointer = ""): Mutant[] {
  if (Array.isArray(value)) return mutateList(value, pointer);
  if (typeof value === "object" && value !== null) return mutateObject(value, pointer);
  return [...new Set([changeLeaf(value), null, "", {}])]
    .filter((other) => other !== value)
    .map((other) => ({ what: `${pointer} becomes ${JSON.stringify(other)}`, value: other }));
}

function changeLeaf(value: string | number | boolean | null): JsonValue {
  switch (typeof value) {
    case "string":
      return /^[0-9a-f]+$/.test(value) ? (value.startsWith("0") ? "1" : "0") + value.slice(1) : `${value}.`;
    case "number":
      return value + 1;
    case "boolean":
      return !value;
    case "object":
      return 0;
  }
}

function mutateList(list: readonly JsonValue[], pointer: string): Mutant[] {
  const result: Mutant[] = [{ what: `${pointer}/- is added`, value: [...list, null] }];
  list.forEach((item, index) => {
    const at = `${pointer}/${index}`;
    result.push(...mutants(item, at).map(({ what, value }) => ({ what, value: list.with(index, value) })));
    result.push({ what: `${at} is dropped`, value: list.toSpliced(index, 1) });
    result.push({ what: `${at} is doubled`, value: list.toSpliced(index, 0, item) });
    const next = list[index + 1];
    if (next === undefined || JSON.stringify(next) === JSON.stringify(item)) return;
    result.push({ what: `${at} is swapped with the next`, value: list.toSpliced(index, 2, next, item) });
  });
  return result;
}

function mutateObject(object: JsonObject, pointer: string): Mutant[] {
  const entries = Object.entries(object);
  const result: Mutant[] = [
    { what: `${pointer}/added is added`, value: Object.fromEntries([...entries, ["added", 1]]) },
  ];
  entries.forEach(([key, item], index) => {
    const at = `${pointer}/${key}`;
    const put = (value: JsonValue) => Object.fromEntries(entries.with(index, [key, value]));
    result.push(...mutants(item, at).map(({ what, value }) => ({ what, value: put(value) })));
    result.push({ what: `${at} is dropped`, value: Object.fromEntries(entries.toSpliced(index, 1)) });
    result.push({ what: `${at} is renamed`, value: Object.fromEntries(entries.with(index, [`${key}_`, item])) });
  });
  return result;
}
