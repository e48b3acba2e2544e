// The shipped arbitraries of text and JSON with default options, as the laws use them.

import * as arbitraries from "../../src/harness/arbitraries/json.js";
import { text as anyText } from "../../src/harness/arbitraries/text.js";

/** Well-formed text of any script, including awkward characters. */
export const text = anyText();

/** Plain JSON without -0, which JSON text does not keep. Keys may be `__proto__`. */
export const json = arbitraries.jsonValue();

export const jsonObject = arbitraries.jsonObject();

/** Every object in `value`, including `value` itself. */
export function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.keys(value).flatMap((name) => objectsIn((value as Record<string, unknown>)[name]));
  return Array.isArray(value) ? below : [value, ...below];
}
