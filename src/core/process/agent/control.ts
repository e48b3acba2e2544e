// Control messages. Unknown fields are ignored. A known field of a wrong type is ignored with a warning, and the others still count.

import { isPlainObject, type JsonObject } from "../../canon/value.js";
import { MAX_MODEL_CHARACTERS } from "../../limits.js";
import { showValue } from "../../text/show.js";

/** A control message. One message may have several fields. */
export interface ControlMessage {
  /** Null restores the value of the spec. */
  readonly set_temp?: number | null;
  readonly set_model?: string | null;
  readonly stop?: true;
  readonly pause?: true;
  readonly resume?: true;
  readonly get_memory?: true;
  readonly format?: string;
  readonly set_memory?: readonly JsonObject[];
}

type Check = (value: unknown) => string;

const flag: Check = (value) => (typeof value === "boolean" ? "" : "true or false");
const temperature: Check = (value) =>
  value === null || (typeof value === "number" && value >= 0 && value <= 2) ? "" : "a number from 0 to 2, or null";
const model: Check = (value) => {
  const isName = typeof value === "string" && value !== "" && value.length <= MAX_MODEL_CHARACTERS;
  return value === null || isName ? "" : `1 to ${MAX_MODEL_CHARACTERS} characters, or null`;
};
const FIELDS: Readonly<Record<keyof ControlMessage, Check>> = {
  set_temp: temperature,
  set_model: model,
  stop: flag,
  pause: flag,
  resume: flag,
  get_memory: flag,
  format: (value) => (typeof value === "string" ? "" : "a string"),
  set_memory: (value) => (Array.isArray(value) ? "" : "a list of messages"),
};

/** Reads one control message. A flag that is false is ignored. */
export function readControl(value: unknown): { message: ControlMessage; warnings: readonly string[] } {
  if (!isPlainObject(value))
    return { message: {}, warnings: [`a control message is ${showValue(value)} and must be an object`] };
  const kept: Record<string, unknown> = {};
  const warnings: string[] = [];
  for (const [name, check] of Object.entries(FIELDS)) {
    if (!Object.hasOwn(value, name)) continue;
    const expected = check(value[name]);
    if (expected !== "")
      warnings.push(`${name} of a control message is ${showValue(value[name])} and must be ${expected}`);
    else if (value[name] !== false) kept[name] = value[name];
  }
  return { message: kept, warnings };
}
