// What a record lost when it was split into runs, carried along in the first of them, so that it is counted where it is said.

import type { JsonObject, JsonValue } from "../../core/index.js";
import type { RepairKind, RepairLog } from "./repair.js";
import { isObject } from "./value.js";

/** The counts of a split as a field of a record. */
export function toDropped(repairs: RepairLog): JsonObject {
  return Object.fromEntries(repairs.list().map(({ kind, count }) => [kind, count]));
}

/** Counts them again for the run that carries them. */
export function addDropped(dropped: JsonValue | undefined, repairs: RepairLog): void {
  if (!isObject(dropped)) return;
  for (const [kind, count] of Object.entries(dropped)) repairs.add(kind as RepairKind, Number(count));
}
