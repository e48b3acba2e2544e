// Every way to change one place of a JSON value: for laws about changes that must be noticed, and for arguments that nearly match.

import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../core/index.js";

export interface JsonChange<T extends JsonValue = JsonValue> {
  readonly what: string;
  readonly value: T;
}

/** Every change of one place of `value`: each leaf, key and item, one more key, two items swapped. Never empty. */
export function changesOf(value: JsonObject): JsonChange<JsonObject>[];
export function changesOf(value: JsonValue): JsonChange[];
export function changesOf(value: JsonValue): JsonChange[] {
  return changesAt(value, "");
}

/** An object with one place changed. Shrinks to one more key in {}. */
export function changedJson(values: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonChange<JsonObject>> {
  return fc.tuple(values, fc.nat(10_000)).map(([value, pick]) => changeOf(value, pick));
}

/** One of the changes of `value` that leave it an object; 0 adds a key. */
export function changeOf(value: JsonObject, pick: number): JsonChange<JsonObject> {
  const changes = changesOf(value);
  return changes[pick % changes.length] as JsonChange<JsonObject>;
}

function changesAt(value: JsonValue, pointer: string): JsonChange[] {
  if (Array.isArray(value)) return changeList(value, pointer);
  if (typeof value === "object" && value !== null) return changeObject(value, pointer);
  return [...new Set([changeLeaf(value), null, "", {}])]
    .filter((other) => other !== value)
    .map((other) => ({ what: `${pointer} becomes ${JSON.stringify(other)}`, value: other }));
}

function changeLeaf(value: string | number | boolean | null): JsonValue {
  if (value === null) return 0;
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1 === value ? 0 : value + 1;
  return /^[0-9a-f]+$/.test(value) ? (value.startsWith("0") ? "1" : "0") + value.slice(1) : `${value}.`;
}

function changeList(list: readonly JsonValue[], pointer: string): JsonChange[] {
  const result: JsonChange[] = [{ what: `${pointer}/- is added`, value: [...list, null] }];
  list.forEach((item, index) => {
    const at = `${pointer}/${index}`;
    result.push(...changesAt(item, at).map(({ what, value }) => ({ what, value: list.with(index, value) })));
    result.push({ what: `${at} is dropped`, value: list.toSpliced(index, 1) });
    result.push({ what: `${at} is doubled`, value: list.toSpliced(index, 0, item) });
    const next = list[index + 1];
    if (next === undefined || JSON.stringify(next) === JSON.stringify(item)) return;
    result.push({ what: `${at} is swapped with the next`, value: list.toSpliced(index, 2, next, item) });
  });
  return result;
}

function changeObject(object: JsonObject, pointer: string): JsonChange[] {
  const entries = Object.entries(object);
  const result: JsonChange[] = [
    { what: `${pointer}/added is added`, value: Object.fromEntries([...entries, ["added", 1]]) },
  ];
  entries.forEach(([key, item], index) => {
    const at = `${pointer}/${key}`;
    const put = (value: JsonValue) => Object.fromEntries(entries.with(index, [key, value]));
    result.push(...changesAt(item, at).map(({ what, value }) => ({ what, value: put(value) })));
    result.push({ what: `${at} is dropped`, value: Object.fromEntries(entries.toSpliced(index, 1)) });
    result.push({ what: `${at} is renamed`, value: Object.fromEntries(entries.with(index, [`${key}_`, item])) });
  });
  return result;
}
