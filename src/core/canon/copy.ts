// Deep copies of plain JSON, and sealing: a copy made immutable for good and known by identity. Only a sealed value may be
// trusted not to have changed since it was hashed; every other one is canonicalised again.

import { assertPlainObject, enter, refuse, setOwn, type JsonValue, type NotJsonReason, type Path } from "./value.js";

/**
 * A deep copy of plain JSON that shares nothing with `value`. Object keys whose value is `undefined` are left out, as they
 * do not exist in JSON; everything else that is not JSON is refused with {@link NotJsonError}. Key order is kept.
 */
export function copyJson<T>(value: T): T {
  return copy(value, []) as T;
}

function copy(value: unknown, path: Path): JsonValue {
  switch (typeof value) {
    case "string":
      if (!value.isWellFormed()) refuse("surrogate", path);
      return value;
    case "number":
      if (!Number.isFinite(value)) refuse("number", path);
      return value;
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      enter(value, path);
      return Array.isArray(value) ? copyArray(value, path) : copyObject(value as Record<string, unknown>, path);
    default:
      return refuse(typeof value as NotJsonReason, path);
  }
}

function copyArray(list: readonly unknown[], path: Path): JsonValue[] {
  const result: JsonValue[] = [];
  for (let index = 0; index < list.length; index++) {
    path.push({ container: list, key: index });
    if (!(index in list)) refuse("hole", path);
    result.push(copy(list[index], path));
    path.pop();
  }
  return result;
}

function copyObject(object: Record<string, unknown>, path: Path): JsonValue {
  assertPlainObject(object, path);
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(object)) {
    if (object[key] === undefined) continue;
    path.push({ container: object, key });
    if (!key.isWellFormed()) refuse("surrogate", path);
    setOwn(result, key, copy(object[key], path));
    path.pop();
  }
  return result;
}

const sealed = new WeakSet<object>();

/** True when `value` came from {@link seal}, so that neither it nor anything in it can have changed since. */
export function isSealed(value: object): boolean {
  return sealed.has(value);
}

/** A deeply frozen copy of `value`, or `value` itself if it is sealed already. Throws `NotJsonError` like `copyJson`. */
export function seal<T extends object>(value: T): T {
  if (sealed.has(value)) return value;
  const result = copyJson(value);
  freeze(result);
  sealed.add(result);
  return result;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) freeze((value as Record<string, unknown>)[key]);
  Object.freeze(value);
}
