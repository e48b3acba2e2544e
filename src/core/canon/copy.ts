// Deep copies of plain JSON, and sealing: a copy made immutable for good and known by identity. Only a sealed value may be
// trusted not to have changed since it was hashed; every other one is canonicalised again.

import { isJsonObject, MAX_JSON_DEPTH, NOT_PLAIN, refuse, setOwn, type JsonValue } from "./value.js";

/**
 * A deep copy of plain JSON that shares nothing with `value`. Object keys whose value is `undefined` are left out, as they
 * do not exist in JSON; everything else that is not JSON is refused with `NotJsonError`. Key order is kept.
 */
export function copyJson<T>(value: T): T {
  return copyWith(value, keep) as T;
}

/** Every container of the copy passes through it when it is whole, the inner ones first; `levels` counts itself and those in it. */
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

const MAX_FITTED = 16;

function copyArray(list: readonly unknown[], depth: number, finish: Finish): JsonValue {
  // A short list is made as long as it is: one that grows takes room for 17, and most calls come alone.
  const result = list.length <= MAX_FITTED ? new Array<JsonValue>(list.length) : [];
  // A hole reads `undefined`, which is refused.
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

/** Gives back what its constructor is given, so that a class which extends it puts its private names on any object. */
// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- A constructor is all it is for.
class Given {
  constructor(object: object) {
    return object;
  }
}

/** The mark of what {@link seal} made: a private name, which nothing outside can read, copy or forge. */
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

/** Of what is being sealed; 0 of what is no container, and in a plain copy. */
function levelsOf(value: JsonValue): number {
  return typeof value === "object" && value !== null ? Mark.levelsOf(value) : 0;
}

/** True when `value` came from {@link seal}, as a whole or as a part, so that neither it nor anything in it can have changed since. */
export function isSealed(value: object): boolean {
  return Mark.has(value);
}

/** How many containers lie in one another in what {@link seal} made, itself included; undefined of anything else. */
export function sealedLevels(value: object): number | undefined {
  return Mark.has(value) ? Mark.levelsOf(value) : undefined;
}

/** Marks before it freezes, since what is frozen takes no mark in engines to come. */
const freeze: Finish = (container, levels) => {
  new Mark(container as object, levels);
  return Object.freeze(container) as JsonValue;
};

/** A deeply frozen copy of `value`, with what is sealed in it as it is, or `value` itself if it is sealed. Throws `NotJsonError` like `copyJson`. */
export function seal<T extends object>(value: T): T {
  return copyWith(value, freeze) as T;
}

/**
 * Seals an object that nobody else holds and that has texts and booleans alone, in place. One with a text that is not well-formed
 * is given back as it is, since no JSON has it.
 */
export function sealTexts<T extends object>(own: T): T {
  for (const key in own) {
    const value: unknown = own[key];
    if (typeof value === "string" ? !value.isWellFormed() : typeof value !== "boolean") return own;
  }
  return freeze(own as unknown as JsonValue, 1) as unknown as T;
}
