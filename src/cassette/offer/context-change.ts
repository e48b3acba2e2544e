// The changes between recorded and asked tools or settings, by tool and field or by setting. A new tool does not change the rest.

import { isPlainObject, toPointer, toVisible, type JsonObject, type JsonValue } from "../../core/index.js";
import { firstDifference, type ValueChange } from "../prompt/values.js";
import { namedSettings, namedTools, type Named } from "./named.js";

/** One change. The pointer leads into the new tools or settings, or into the old ones if there is no new value. */
export interface ContextChange extends ValueChange {
  what: string;
}

/** Lists every change of a list of tools. Empty unless all tools have different names. */
export function toolsChanges(old: JsonValue, now: JsonValue): ContextChange[] {
  const [before, after] = [byName(old), byName(now)];
  if (before === undefined || after === undefined) return [];
  const changes: ContextChange[] = [];
  for (const { name, value, path } of after.values()) {
    const was = before.get(name)?.value;
    if (was === undefined) {
      changes.push({ what: toVisible(`tool ${name} was added`), pointer: toPointer(path), new: value });
    } else {
      for (const change of fieldChanges(was, value)) {
        changes.push(toChange(change, `the ${fieldText(change.field)} of tool ${name}`, [...path, change.field]));
      }
    }
  }
  for (const { name, value, path } of before.values()) {
    if (!after.has(name))
      changes.push({ what: toVisible(`tool ${name} was removed`), pointer: toPointer(path), old: value });
  }
  if (changes.length > 0) return changes;
  const [were, are] = [[...before.keys()], [...after.keys()]];
  const moved = are.findIndex((name, index) => were[index] !== name);
  if (moved < 0) return [];
  const [was, is] = [were[moved], are[moved]] as [string, string];
  return [{ what: "the tools are in a different order", pointer: toPointer([moved, "name"]), old: was, new: is }];
}

/** Lists the changed settings in the order of their names. Each field of a wire counts as a setting. */
export function settingsChanges(old: JsonValue, now: JsonValue): ContextChange[] {
  if (!isPlainObject(old) || !isPlainObject(now)) return [];
  const [before, after] = [namedSettings(old), namedSettings(now)];
  const paths = new Map([...before, ...after].map(({ name, path }) => [name, path]));
  return fieldChanges(toObject(before), toObject(after)).map((change) => {
    const path = paths.get(change.field) ?? [];
    const [, field] = path;
    return toChange(change, field === undefined ? `the setting ${change.field}` : `the request field ${field}`, path);
  });
}

function toObject(named: readonly Named[]): JsonObject {
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}

interface FieldChange extends Omit<ValueChange, "pointer"> {
  field: string;
  /** JSON pointer within the field; "" is the whole field. */
  inside: string;
}

/** The first difference of each field that differs. */
function fieldChanges(old: JsonObject, now: JsonObject): FieldChange[] {
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
  return fields.flatMap((field) => {
    const difference = firstDifference(only(old, field), only(now, field));
    if (difference === undefined) return [];
    const { pointer, ...sides } = difference;
    return [{ field, inside: pointer.slice(toPointer([field]).length), ...sides }];
  });
}

function only(object: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key === field));
}

function fieldText(field: string): string {
  return field === "description" || field === "schema" ? field : `field ${field}`;
}

function toChange(
  { inside, field: _field, ...sides }: FieldChange,
  subject: string,
  path: readonly (string | number)[],
): ContextChange {
  const verb = inside === "" ? verbOf(sides) : `changed (at ${inside})`;
  return { ...sides, what: toVisible(`${subject} ${verb}`), pointer: toPointer(path) + inside };
}

function verbOf(sides: Pick<ValueChange, "old" | "new">): string {
  if (sides.old === undefined) return "was added";
  return sides.new === undefined ? "was removed" : "changed";
}

/** Undefined if one of the tools has no name, or two have the same. */
function byName(list: JsonValue): Map<string, Named<JsonObject>> | undefined {
  if (!Array.isArray(list) || !list.every(isTool)) return undefined;
  const tools = new Map(namedTools(list).map((tool) => [tool.name, tool]));
  return tools.size === list.length ? tools : undefined;
}

function isTool(tool: JsonValue): tool is JsonObject {
  return isPlainObject(tool) && typeof tool["name"] === "string";
}
