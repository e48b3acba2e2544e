// Whether a value survives being written as JSON: what JSON.stringify would refuse, drop or turn into something else, with the
// place of it. Stricter than the runtime, which shows a model something for everything.

import { copyJson, isPlainObject, MAX_JSON_DEPTH, NotJsonError, toPointer } from "../../core/index.js";
import { describeThrown } from "./thrown.js";

/** What is wrong, in words; undefined when nothing is. `undefined` alone is a result too, and reads null. */
export function findLoss(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    copyJson(withToJson(value, []));
    return undefined;
  } catch (error) {
    return error instanceof NotJsonError ? error.message : `reading it throws ${describeThrown(error)}`;
  }
}

/** The same for what must be plain JSON as it is, whatever its parts say of how they are written. */
export function findImpurity(value: unknown): string | undefined {
  try {
    copyJson(value);
    return undefined;
  } catch (error) {
    return error instanceof NotJsonError ? error.message : `reading it throws ${describeThrown(error)}`;
  }
}

/** A container on the way to a value, and the key in it. */
type Step = readonly [container: object, key: string | number];

/** The value with each part in place of itself that says how it is written, as a Date does. */
function withToJson(value: unknown, path: readonly Step[]): unknown {
  if (typeof value !== "object" || value === null || path.length > MAX_JSON_DEPTH) return value;
  if (path.some(([container]) => container === value)) {
    throw new NotJsonError("cycle", toPointer(path.map(([, key]) => key)));
  }
  const { toJSON } = value as { toJSON?: unknown };
  // Once at each place, as JSON.stringify does it.
  const written: unknown = typeof toJSON === "function" ? toJSON.call(value) : value;
  const inner = (item: unknown, key: string | number) => withToJson(item, [...path, [value, key]]);
  if (Array.isArray(written)) return Array.from(written as unknown[], inner);
  if (!isPlainObject(written)) return written;
  return Object.fromEntries(Object.entries(written).map(([key, item]) => [key, inner(item, key)]));
}
