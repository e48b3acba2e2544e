// Plain JSON, and the errors for other values. Shared by the canonical writer and the copier.

import { AgentError } from "../errors.js";
import { MAX_JSON_DEPTH } from "../limits.js";
import { toPointer } from "./pointer.js";

/** Plain JSON (RFC 8259): numbers are finite, text has no lone surrogates, lists no holes. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** An object of plain JSON. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Why a value is not plain JSON; `depth` is nesting beyond {@link MAX_JSON_DEPTH}. */
export type NotJsonReason =
  "undefined" | "hole" | "number" | "bigint" | "function" | "symbol" | "instance" | "surrogate" | "cycle" | "depth";

/** A value that is not plain JSON. `pointer` is a JSON pointer (RFC 6901); "" is the whole value. */
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

/** What a walker throws where a value is not plain JSON; the door it came in by turns it into words with {@link refuse}. */
export const NOT_PLAIN = new Error("not plain JSON");

/** How a key whose value is `undefined` is treated: as absent, or as a flaw. */
export type UndefinedKeys = "absent" | "flaw";

/** Throws the {@link NotJsonError} of the first flaw of `value`. Unlike the fast walkers, it keeps the path. */
export function refuse(value: unknown, undefinedKeys: UndefinedKeys): never {
  findFlaw(value, [], undefinedKeys);
  // Reached only for a getter that returns another value each time.
  throw new NotJsonError("instance", "");
}

type Path = { container: object; key: string | number }[];

function findFlaw(value: unknown, path: Path, undefinedKeys: UndefinedKeys): void {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) fail("surrogate", path);
      return;
    case "number":
      if (!Number.isFinite(value)) fail("number", path);
      return;
    case "boolean":
      return;
    case "object":
      if (value === null) return;
      if (path.length >= MAX_JSON_DEPTH) fail(path.some((step) => step.container === value) ? "cycle" : "depth", path);
      if (Array.isArray(value)) findFlawInArray(value, path, undefinedKeys);
      else findFlawInObject(value as Record<string, unknown>, path, undefinedKeys);
      return;
    default:
      fail(typeof value as NotJsonReason, path);
  }
}

function findFlawInArray(list: readonly unknown[], path: Path, undefinedKeys: UndefinedKeys): void {
  for (let key = 0; key < list.length; key++) {
    const at = [...path, { container: list, key }];
    if (!(key in list)) fail("hole", at);
    findFlaw(list[key], at, undefinedKeys);
  }
}

function findFlawInObject(object: Record<string, unknown>, path: Path, undefinedKeys: UndefinedKeys): void {
  if (!isPlainObject(object)) fail("instance", path);
  if (Object.getOwnPropertySymbols(object).length > 0) fail("symbol", path);
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined && undefinedKeys === "absent") continue;
    const at = [...path, { container: object, key }];
    if (!key.isWellFormed()) fail("surrogate", at);
    findFlaw(value, at, undefinedKeys);
  }
}

function fail(reason: NotJsonReason, path: Path): never {
  throw new NotJsonError(reason, toPointer(path.map((step) => step.key)));
}

/** True for a plain object with only string keys. Arrays are checked before. */
export function isJsonObject(object: object): object is Record<string, unknown> {
  return isPlainObject(object) && Object.getOwnPropertySymbols(object).length === 0;
}

/** True for `{}`, an object without prototype, and a plain object of another realm; false for every class instance. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}

/** Sets a key as data, `__proto__` included. */
export function setOwn(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
