// Deep copies of plain JSON, and sealing: only a sealed copy, known by identity, cannot have changed since it was hashed.

import { MAX_JSON_DEPTH } from "../limits.js";
import { Given } from "../properties.js";
import { isJsonObject, NOT_PLAIN, refuse, setOwn, type JsonValue } from "./value.js";

/** A deep copy of plain JSON in its key order, without keys whose value is `undefined`. Throws `NotJsonError` for anything else. */
export function copyJson<T>(value: T): T {
  return copyWith(value, keep) as T;
}

/** Called with every finished container of the copy, the inner ones first. `levels` counts it and those in it. `weight`: see {@link sealedWeight}. */
type Finish = (container: JsonValue, levels: number, weight: number) => JsonValue;

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
  let weight = 2;
  for (let index = 0; index < list.length; index++) {
    const item = copy(list[index], depth, finish);
    result[index] = item;
    levels = Math.max(levels, 1 + levelsOf(item));
    weight += 1 + weightOf(item);
  }
  return finish(result, levels, weight);
}

function copyObject(object: object, depth: number, finish: Finish): JsonValue {
  if (!isJsonObject(object)) throw NOT_PLAIN;
  const result: Record<string, JsonValue> = {};
  let levels = 1;
  let weight = 2;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    if (!key.isWellFormed()) throw NOT_PLAIN;
    const own = copy(value, depth, finish);
    setOwn(result, key, own);
    levels = Math.max(levels, 1 + levelsOf(own));
    weight += 2 + weightOf(key) + weightOf(own);
  }
  return finish(result, levels, weight);
}

/** The mark of a sealed object: a private name, which nothing outside can read, copy or forge. */
class Mark extends Given {
  /** The weight above the lowest byte, and the levels in it. A second private name would take as long again. */
  readonly #size: number;

  constructor(object: object, levels: number, weight: number) {
    super(object);
    this.#size = Math.min(weight, MOST_WEIGHT) * LEVELS + levels;
  }

  static has(object: object): boolean {
    return #size in object;
  }

  static levelsOf(object: object): number {
    return #size in object ? object.#size % LEVELS : 0;
  }

  static weightOf(object: object): number {
    return #size in object ? Math.floor(object.#size / LEVELS) : 0;
  }
}

/** More than `MAX_JSON_DEPTH`. */
const LEVELS = 256;
/** With it, a size is a small integer. A larger value has this weight. */
const MOST_WEIGHT = 2 ** 22;

function levelsOf(value: JsonValue): number {
  return typeof value === "object" && value !== null ? Mark.levelsOf(value) : 0;
}

/** No unit of a text takes more bytes than `\u0000`, and no number more characters than 25. */
function weightOf(value: JsonValue): number {
  switch (typeof value) {
    case "string":
      return 2 + 6 * value.length;
    case "number":
      return 25;
    case "object":
      return value === null ? 4 : Mark.weightOf(value);
    default:
      return 5;
  }
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
const freeze: Finish = (container, levels, weight) => {
  new Mark(container as object, levels, weight);
  return Object.freeze(container) as JsonValue;
};

/** A deeply frozen copy of `value` that shares its sealed parts, or `value` itself if it is sealed. Throws `NotJsonError` like `copyJson`. */
export function seal<T extends object>(value: T): T {
  return copyWith(value, freeze) as T;
}

/** An upper bound of the UTF-8 bytes of a sealed value as JSON. Infinity for a large one. */
export function sealedWeight(value: object): number {
  const weight = Mark.weightOf(value);
  return weight < MOST_WEIGHT ? weight : Infinity;
}

/** As {@link seal}, in place where it can: `own` and its parts are the caller's, and nobody else changes them. */
export function sealOwn<T extends object>(own: T): T {
  try {
    markOwn(own, 0);
    return own;
  } catch (error) {
    if (error !== NOT_PLAIN) throw error;
    return seal(own);
  }
}

/** Seals in place, and returns the levels. */
function markOwn(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) {
    copy(value, depth, keep);
    return 0;
  }
  if (Mark.has(value)) return Mark.levelsOf(value);
  // Future engines may refuse to mark what is frozen.
  if (depth === MAX_JSON_DEPTH || Object.isFrozen(value)) throw NOT_PLAIN;
  let levels = 1;
  let weight = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      levels = Math.max(levels, 1 + markOwn(value[index], depth + 1));
      weight += 1 + weightOf(value[index] as JsonValue);
    }
  } else {
    if (!isJsonObject(value)) throw NOT_PLAIN;
    for (const key of Object.keys(value)) {
      if (!key.isWellFormed()) throw NOT_PLAIN;
      levels = Math.max(levels, 1 + markOwn(value[key], depth + 1));
      weight += 2 + weightOf(key) + weightOf(value[key] as JsonValue);
    }
  }
  freeze(value as JsonValue, levels, weight);
  return levels;
}

/** Seals in place an object of texts and booleans that nobody else holds. With a text that is not well-formed it stays unsealed. */
export function sealTexts<T extends object>(own: T): T {
  let weight = 2;
  for (const key in own) {
    const value: unknown = own[key];
    if (typeof value === "string" ? !value.isWellFormed() : typeof value !== "boolean") return own;
    weight += 2 + weightOf(key) + weightOf(value as JsonValue);
  }
  return freeze(own as unknown as JsonValue, 1, weight) as unknown as T;
}
