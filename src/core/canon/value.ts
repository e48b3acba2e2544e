// What plain JSON is, and the words for what is not. Shared by the canonical writer and the copier, which walk values alike.

import { AgentError } from "../errors.js";

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Containers inside containers. A deeper value is refused, which also keeps the recursion off the stack's end. */
export const MAX_JSON_DEPTH = 128;

export type NotJsonReason =
  "undefined" | "hole" | "number" | "bigint" | "function" | "symbol" | "instance" | "surrogate" | "cycle" | "depth";

/** What was refused and where: `pointer` is a JSON pointer (RFC 6901), "" the value itself. */
export class NotJsonError extends AgentError {
  readonly reason: NotJsonReason;
  readonly pointer: string;

  constructor(reason: NotJsonReason, pointer: string) {
    super("not-json", `${REASONS[reason]} at ${pointer === "" ? "the top" : pointer} is not plain JSON`, {
      hint: "Pass only null, booleans, finite numbers, well-formed strings, arrays and plain objects.",
    });
    this.name = "NotJsonError";
    this.reason = reason;
    this.pointer = pointer;
  }
}

const REASONS: Record<NotJsonReason, string> = {
  undefined: "undefined",
  hole: "a hole in an array",
  number: "a number that is not finite",
  bigint: "a BigInt",
  function: "a function",
  symbol: "a symbol",
  instance: "an object that is neither plain nor an array",
  surrogate: "a string with a lone surrogate",
  cycle: "a cycle",
  depth: `nesting deeper than ${MAX_JSON_DEPTH} levels`,
};

/** Keys from the root to the value being walked, with the containers they belong to: enough to name a place. */
export type Path = { container: object; key: string | number }[];

/** Refuses a container that lies too deep, and says whether that is because it contains itself. */
export function enter(value: object, path: Path): void {
  if (path.length < MAX_JSON_DEPTH) return;
  refuse(path.some((step) => step.container === value) ? "cycle" : "depth", path);
}

export function refuse(reason: NotJsonReason, path: Path): never {
  throw new NotJsonError(reason, toPointer(path.map((step) => step.key)));
}

/** Refuses everything but a plain object with string keys. */
export function assertPlainObject(object: object, path: Path): asserts object is Record<string, unknown> {
  if (!isPlainObject(object)) refuse("instance", path);
  if (Object.getOwnPropertySymbols(object).length > 0) refuse("symbol", path);
}

/** True for `{}`, an object without prototype, and a plain object of another realm; false for every class instance. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}

/** A JSON pointer (RFC 6901 §3) to the place that `keys` lead to. */
export function toPointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}

/** Sets a key as data, `__proto__` included. */
export function setOwn(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
