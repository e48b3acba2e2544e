// One example of everything that is not plain JSON, with the reason and the pointer of the refusal. The canonical
// writer and the copier walk values in the same way, so both are tested with this table.

import type { NotJsonReason } from "../../src/core/canon/value.js";

export interface NotJsonExample {
  name: string;
  make: () => unknown;
  reason: NotJsonReason;
  pointer: string;
}

class Point {
  x = 1;
}

export const NOT_JSON: NotJsonExample[] = [
  { name: "undefined at the top", make: () => undefined, reason: "undefined", pointer: "" },
  { name: "undefined in an array", make: () => [1, undefined], reason: "undefined", pointer: "/1" },
  // eslint-disable-next-line no-sparse-arrays
  { name: "a hole in an array", make: () => ({ list: [1, , 3] }), reason: "hole", pointer: "/list/1" },
  { name: "NaN", make: () => ({ a: [NaN] }), reason: "number", pointer: "/a/0" },
  { name: "Infinity", make: () => Infinity, reason: "number", pointer: "" },
  { name: "-Infinity", make: () => [-Infinity], reason: "number", pointer: "/0" },
  { name: "a BigInt", make: () => ({ "a/b": 1n }), reason: "bigint", pointer: "/a~1b" },
  { name: "a function", make: () => ({ "a~b": () => 1 }), reason: "function", pointer: "/a~0b" },
  { name: "a symbol", make: () => [[Symbol("s")]], reason: "symbol", pointer: "/0/0" },
  { name: "a symbol key", make: () => ({ in: { [Symbol("s")]: 1 } }), reason: "symbol", pointer: "/in" },
  { name: "a class instance", make: () => ({ at: new Point() }), reason: "instance", pointer: "/at" },
  { name: "a Map", make: () => new Map(), reason: "instance", pointer: "" },
  { name: "a Set", make: () => [new Set([1])], reason: "instance", pointer: "/0" },
  { name: "a Date", make: () => ({ at: new Date(0) }), reason: "instance", pointer: "/at" },
  { name: "a RegExp", make: () => [/x/], reason: "instance", pointer: "/0" },
  { name: "a Buffer", make: () => ({ bytes: Buffer.from("x") }), reason: "instance", pointer: "/bytes" },
  { name: "an Error", make: () => [new Error("x")], reason: "instance", pointer: "/0" },
  { name: "a Promise", make: () => [Promise.resolve(1)], reason: "instance", pointer: "/0" },
  { name: "a boxed string", make: () => ({ s: Object("boxed") as unknown }), reason: "instance", pointer: "/s" },
  { name: "a boxed number", make: () => [Object(1)], reason: "instance", pointer: "/0" },
  {
    name: "an object that inherits from a plain one",
    make: () => Object.create({ a: 1 }),
    reason: "instance",
    pointer: "",
  },
  { name: "a lone high surrogate", make: () => ["\ud800"], reason: "surrogate", pointer: "/0" },
  { name: "a lone low surrogate", make: () => ({ a: "x\udc00" }), reason: "surrogate", pointer: "/a" },
  { name: "surrogates in the wrong order", make: () => "\udc00\ud800", reason: "surrogate", pointer: "" },
  {
    name: "a lone surrogate in a key",
    make: () => ({ a: { "\ud800": 1 } }),
    reason: "surrogate",
    pointer: "/a/\ud800",
  },
  { name: "nesting of 129 containers", make: () => nested(129), reason: "depth", pointer: "/0".repeat(128) },
  { name: "nesting of 129 objects", make: () => nestedObjects(129), reason: "depth", pointer: "/a".repeat(128) },
  { name: "a cycle of one object", make: selfReference, reason: "cycle", pointer: "/me".repeat(128) },
  { name: "a cycle through an array", make: cycleOfTwo, reason: "cycle", pointer: "/list/0".repeat(64) },
  {
    name: "a cycle below the top",
    make: () => ({ a: selfReference() }),
    reason: "cycle",
    pointer: `/a${"/me".repeat(127)}`,
  },
];

/** `containers` nested arrays with one number inside. */
export function nested(containers: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < containers; level++) value = [value];
  return value;
}

export function nestedObjects(containers: number): Record<string, unknown> {
  let value: unknown = 1;
  for (let level = 0; level < containers; level++) value = { a: value };
  return value as Record<string, unknown>;
}

function selfReference(): unknown {
  const value: Record<string, unknown> = {};
  value["me"] = value;
  return value;
}

function cycleOfTwo(): unknown {
  const list: unknown[] = [];
  const value = { list };
  list.push(value);
  return value;
}
