// Checks whether a value survives a round trip through JSON, and finds where it does not. Stricter than the runtime, which can
// show any value.

import { canonicalize, copyJson, isPlainObject, MAX_JSON_DEPTH, NotJsonError, toPointer } from "../../core/index.js";
import { describeThrown } from "./thrown.js";

/** Why a tool result is not JSON, or undefined if it is. The result `undefined` is valid and is written as null. */
export function findLoss(value: unknown): string | undefined {
  return value === undefined ? undefined : faultOf(() => copyJson(withToJson(value, [])));
}

/** Why a value is not plain JSON, without applying `toJSON`. Undefined fields count as absent. */
export function findImpurity(value: unknown): string | undefined {
  return faultOf(() => copyJson(value));
}

/** The same, where a field that is undefined is a fault too. */
export function findStrictImpurity(value: unknown): string | undefined {
  return faultOf(() => canonicalize(value));
}

function faultOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof NotJsonError ? error.message : `reading it throws ${describeThrown(error)}`;
  }
}

/** The value with `toJSON` applied to each part that has one, as a Date does. */
function withToJson(value: unknown, path: readonly (readonly [container: object, key: string | number])[]): unknown {
  if (typeof value !== "object" || value === null || path.length > MAX_JSON_DEPTH) return value;
  if (path.some(([container]) => container === value)) {
    throw new NotJsonError("cycle", toPointer(path.map(([, key]) => key)));
  }
  const { toJSON } = value as { toJSON?: unknown };
  // Applied once at each place, as in JSON.stringify.
  const written: unknown = typeof toJSON === "function" ? toJSON.call(value) : value;
  const inner = (item: unknown, key: string | number) => withToJson(item, [...path, [value, key]]);
  if (Array.isArray(written)) return Array.from(written as unknown[], inner);
  if (!isPlainObject(written)) return written;
  return Object.fromEntries(Object.entries(written).map(([key, item]) => [key, inner(item, key)]));
}
