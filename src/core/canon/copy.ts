// Deep copies of plain JSON, and sealing: only a sealed copy, known by identity, cannot have changed since it was hashed.

import { MAX_JSON_DEPTH } from "../limits.js";
import { isJsonObject, NOT_PLAIN, refuse, setOwn, type JsonValue } from "./value.js";

/** A deep copy of plain JSON in its key order, without keys whose value is `undefined`. Throws `NotJsonError` for anything else. */
export function copyJson<T>(value: T): T {
  return copyWith(value, keep) as T;
}

/** Called with every finished container of the copy, the inner ones first. `levels` counts it and those in it. */
type Finish = (container: JsonValue, levels: number) => JsonValue;

const keep: Finish = (container) => container;

function copyWith(value: unknown, finish: Finish): unknown {
  try {
    return copy(value, 0, finish);
  } catch (error) {
    if (error === NOT_PLAIN) return refuse(value, "absent");
    throw error;
  }
}

function copy(value: unknown, depth: number, finish: Finish): JsonValue {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) throw NOT_PLAIN;
      return value;
    case "number":
      if (!Number.isFinite(value)) throw NOT_PLAIN;
      return value;
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      if (finish === freeze && Mark.has(value)) return value as JsonValue;
      if (depth === MAX_JSON_DEPTH) throw NOT_PLAIN;
      return Array.isArray(value) ? copyArray(value, depth + 1, finish) : copyObject(value, depth + 1, finish);
    default:
      throw NOT_PLAIN;
  }
}

const LONGEST_FITTED = 16;

function copyArray(list: readonly unknown[], depth: number, finish: Finish): JsonValue {
  // A short list is created with its length: one that grows takes room for 17, and most lists have one item.
  const result = list.length <= LONGEST_FITTED ? new Array<JsonValue>(list.length) : [];
  // A hole reads as `undefined`, which is refused.
  let levels = 1;
  for (let index = 0; index < list.length; index++) {
    const item = copy(list[index], depth, finish);
    result[index] = item;
    levels = Math.max(levels, 1 + levelsOf(item));
  }
  return finish(result, levels);
}

function copyObject(object: object, depth: number, finish: Finish): JsonValue {
  if (!isJsonObject(object)) throw NOT_PLAIN;
  const result: Record<string, JsonValue> = {};
  let levels = 1;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    if (!key.isWellFormed()) throw NOT_PLAIN;
    const own = copy(value, depth, finish);
    setOwn(result, key, own);
    levels = Math.max(levels, 1 + levelsOf(own));
  }
  return finish(result, levels);
}

/** Its constructor returns its argument, so that a class which extends it puts its private names on any object. */
// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- Only its constructor is needed.
class Given {
  constructor(object: object) {
    return object;
  }
}

/** The mark of a sealed object: a private name, which nothing outside can read, copy or forge. */
class Mark extends Given {
  readonly #levels: number;

  constructor(object: object, levels: number) {
    super(object);
    this.#levels = levels;
  }

  static has(object: object): boolean {
    return #levels in object;
  }

  static levelsOf(object: object): number {
    return #levels in object ? object.#levels : 0;
  }
}

function levelsOf(value: JsonValue): number {
  return typeof value === "object" && value !== null ? Mark.levelsOf(value) : 0;
}

/** True if `value` came from {@link seal}, as a whole or as a part, so that nothing in it can have changed. */
export function isSealed(value: object): boolean {
  return Mark.has(value);
}

/** The nesting depth of a sealed value, itself included; undefined for other values. */
export function sealedLevels(value: object): number | undefined {
  return Mark.has(value) ? Mark.levelsOf(value) : undefined;
}

/** Marks before it freezes, since future engines may refuse to mark frozen objects. */
const freeze: Finish = (container, levels) => {
  new Mark(container as object, levels);
  return Object.freeze(container) as JsonValue;
};

/** A deeply frozen copy of `value` that shares its sealed parts, or `value` itself if it is sealed. Throws `NotJsonError` like `copyJson`. */
export function seal<T extends object>(value: T): T {
  return copyWith(value, freeze) as T;
}

/** Seals in place an object of texts and booleans that nobody else holds. With a text that is not well-formed it stays unsealed. */
export function sealTexts<T extends object>(own: T): T {
  for (const key in own) {
    const value: unknown = own[key];
    if (typeof value === "string" ? !value.isWellFormed() : typeof value !== "boolean") return own;
  }
  return freeze(own as unknown as JsonValue, 1) as unknown as T;
}
