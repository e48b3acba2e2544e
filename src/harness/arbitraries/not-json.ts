// Values that are not plain JSON, each with the place and the reason: for code that stores, hashes or sends the results of tools.

import fc from "fast-check";
import { toPointer, type NotJsonReason } from "../../core/index.js";

export interface NotJson {
  readonly value: unknown;
  /** A JSON pointer (RFC 6901) to the part that is not JSON; "" is the value itself. */
  readonly pointer: string;
  /** The reason that `NotJsonError` gives. */
  readonly reason: NotJsonReason;
}

class Point {
  readonly x = 1;
}

/** New for each value, since some can be changed. Undefined is not among them: as a field of an object it is left out. */
const PARTS: readonly (readonly [NotJsonReason, () => unknown])[] = [
  ["number", () => NaN],
  ["number", () => -Infinity],
  ["bigint", () => 1n],
  ["function", () => () => 1],
  ["symbol", () => Symbol("s")],
  ["instance", () => new Point()],
  ["instance", () => new Map([["a", 1]])],
  ["instance", () => new Date(0)],
  ["instance", () => new Error("x")],
  ["instance", () => Promise.resolve(1)],
  ["surrogate", () => "\ud800"],
  ["symbol", () => ({ [Symbol("s")]: 1 })],
];

/** Containers from the outside in: a name for an object, or a number for a list with that many nulls before the part. */
const steps = fc.array(fc.oneof(fc.nat(2), fc.constantFrom("a", "a/b", "~")), { maxLength: 3 });

/** JSON with one part that is not JSON. Shrinks to a bare NaN. */
export function notJson(): fc.Arbitrary<NotJson> {
  return fc.tuple(fc.nat(PARTS.length - 1), steps).map(([index, path]) => {
    const [reason, make] = PARTS[index] as (typeof PARTS)[number];
    const value = path.reduceRight<unknown>(
      (inner, key) => (typeof key === "number" ? [...Array<null>(key).fill(null), inner] : { [key]: inner }),
      make(),
    );
    return { value, pointer: toPointer(path), reason };
  });
}
