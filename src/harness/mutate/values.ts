// Ways to change one place of a tool call's arguments: give a leaf another value of its type, or drop a key.

import { toPointer, type JsonObject, type JsonValue } from "../../core/index.js";
import type { Choose } from "./mutant.js";
import { textChanges } from "./text.js";

export interface ValueEdit {
  /** The path of the place within the arguments. */
  readonly path: readonly (string | number)[];
  readonly old: JsonValue;
  /** Absent if the key is dropped. */
  readonly new?: JsonValue;
  /** The whole arguments after the change. */
  readonly toWhole: () => JsonObject;
}

/** Edits of every place, in order, each a real change. `name` makes the choices of two calls differ. */
export function* valueEdits(whole: JsonObject, name: string, choose: Choose): Generator<ValueEdit> {
  for (const { path, old, put } of places(whole, [], (value) => value)) {
    const here = `${name}${toPointer(path)}`;
    const other = otherLeaf(old, here, choose);
    if (other !== undefined) yield { path, old, new: other, toWhole: () => put(other) as JsonObject };
    const key = path.at(-1);
    if (typeof key === "string") yield { path, old, toWhole: () => put(undefined) as JsonObject };
  }
}

interface Place {
  path: (string | number)[];
  old: JsonValue;
  /** The whole with another value here; undefined drops it. */
  put: (value: JsonValue | undefined) => JsonValue;
}

function* places(value: JsonValue, path: (string | number)[], put: (value: JsonValue) => JsonValue): Generator<Place> {
  if (typeof value !== "object" || value === null) return;
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  for (const key of keys) {
    const old = (value as JsonObject)[key] as JsonValue;
    const here = [...path, key];
    const putHere = (other: JsonValue | undefined): JsonValue => put(withOther(value, key, other));
    yield { path: here, old, put: putHere };
    yield* places(old, here, putHere);
  }
}

function withOther(container: JsonValue[] | JsonObject, key: string | number, other: JsonValue | undefined): JsonValue {
  if (Array.isArray(container)) return container.map((item, index) => (index === key ? (other ?? item) : item));
  const entries = Object.entries(container).flatMap(([name, item]): [string, JsonValue][] => {
    if (name !== key) return [[name, item]];
    return other === undefined ? [] : [[name, other]];
  });
  return Object.fromEntries(entries);
}

/** Another value of the same type. Undefined for null and for containers, whose leaves are separate places. */
function otherLeaf(old: JsonValue, name: string, choose: Choose): JsonValue | undefined {
  if (typeof old === "boolean") return !old;
  if (typeof old === "number") return otherNumber(old, choose(`${name} sign`, 2) === 0);
  if (typeof old !== "string") return undefined;
  const changes = textChanges(old, name, choose);
  return changes.length === 0 ? "otherwise" : changes[choose(`${name} change`, changes.length)]?.text;
}

/** Another number. Adding 1 does not change a large number. */
function otherNumber(old: number, isNegated: boolean): number {
  if (old === 0) return 1;
  return isNegated || old + 1 === old ? -old : old + 1;
}
