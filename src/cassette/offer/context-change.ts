// What changed between the tools or settings of a recorded turn and those of a request, named as its author would name it:
// by tool and field, or by setting. Lists are compared by the names of the tools, so one that is new is not all that follow it.

import { isPlainObject, isWireName, toPointer, toVisible, type JsonObject, type JsonValue } from "../../core/index.js";
import { firstDifference, type ValueChange } from "../prompt/values.js";

/** One change. The pointer leads into the list of tools or the settings: the new ones, or the old where there is no new. */
export interface ContextChange extends ValueChange {
  what: string;
}

/** Every change of a list of tools; empty when the tools do not all have a name of their own. */
export function toolsChanges(old: JsonValue, now: JsonValue): ContextChange[] {
  const before = byName(old);
  const after = byName(now);
  if (before === undefined || after === undefined) return [];
  const changes: ContextChange[] = [];
  for (const [name, { tool, index }] of after) {
    const was = before.get(name)?.tool;
    if (was === undefined) {
      changes.push({ what: toVisible(`tool ${name} was added`), pointer: toPointer([index]), new: tool });
    } else {
      const inTool = fieldChanges(was, tool);
      changes.push(...inTool.map((change) => told(change, `the ${fieldText(change.field)} of tool ${name}`, [index])));
    }
  }
  for (const [name, { tool, index }] of before) {
    if (!after.has(name))
      changes.push({ what: toVisible(`tool ${name} was removed`), pointer: toPointer([index]), old: tool });
  }
  if (changes.length > 0) return changes;
  const moved = [...after.keys()].findIndex((name, index) => before.get(name)?.index !== index);
  if (moved < 0) return [];
  const [was, is] = [[...before.keys()][moved], [...after.keys()][moved]] as [string, string];
  return [{ what: "the tools are listed in another order", pointer: toPointer([moved, "name"]), old: was, new: is }];
}

/** Every setting that changed, in the order of their names; of the fields of a wire, every field. */
export function settingsChanges(old: JsonValue, now: JsonValue): ContextChange[] {
  if (!isPlainObject(old) || !isPlainObject(now)) return [];
  return fieldChanges(old, now).flatMap((change) => {
    const { field } = change;
    if (!isWireName(field)) return [told(change, `the setting ${field}`, [])];
    const inWire = fieldChanges(objectAt(old, field), objectAt(now, field));
    return inWire.map((inner) => told(inner, `the request field ${inner.field}`, [field]));
  });
}

function objectAt(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isPlainObject(value) ? value : {};
}

interface FieldChange extends Omit<ValueChange, "pointer"> {
  field: string;
  /** Where in the field; "" is the whole of it. */
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

function told(
  { field, inside, ...sides }: FieldChange,
  subject: string,
  path: readonly (string | number)[],
): ContextChange {
  const verb = inside === "" ? verbOf(sides) : `changed (at ${inside})`;
  return { ...sides, what: toVisible(`${subject} ${verb}`), pointer: toPointer([...path, field]) + inside };
}

function verbOf(sides: Pick<ValueChange, "old" | "new">): string {
  if (sides.old === undefined) return "was added";
  return sides.new === undefined ? "was removed" : "changed";
}

/** Undefined when one has no name, or two have the same. */
function byName(list: JsonValue): Map<string, { tool: JsonObject; index: number }> | undefined {
  if (!Array.isArray(list)) return undefined;
  const tools = new Map<string, { tool: JsonObject; index: number }>();
  for (const [index, tool] of list.entries()) {
    if (!isPlainObject(tool) || typeof tool["name"] !== "string" || tools.has(tool["name"])) return undefined;
    tools.set(tool["name"], { tool: tool, index });
  }
  return tools;
}
