// The fields of an extension that something reads: known names, each with its expected value in words and a check.

import { toPointer } from "../../core/index.js";
import type { Refuse } from "./downgrade.js";

export type Fields = Record<string, unknown>;
export type Check = (value: unknown) => boolean;
export type Path = readonly (string | number)[];

/** The expected value in words, and its check. `required` fields are missing or wrong, others only wrong. */
export interface Field {
  readonly expected: string;
  readonly check: Check;
  readonly required?: true;
}

export const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

export const text: Field = { expected: "a text", check: (value) => typeof value === "string" };
export const count: Field = { expected: "a whole number of 0 or more", check: isCount };
export const hash: Field = { expected: "64 lower-case hex digits", check: matches(/^[0-9a-f]{64}$/) };

export function matches(pattern: RegExp): Check {
  return (value) => typeof value === "string" && pattern.test(value);
}

export function checkFields(object: Fields, known: Record<string, Field>, here: Path, refuse: Refuse): void {
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(known, name)) continue;
    const place = toPointer([...here, name]);
    refuse("unknown-field", `${toPointer(here)} has an unknown field: ${JSON.stringify(name)}`, place);
  }
  for (const [name, { expected, check, required }] of Object.entries(known)) {
    const place = [...here, name];
    const isGiven = Object.hasOwn(object, name);
    if (isGiven && !check(object[name])) wrong(place, expected, refuse);
    if (!isGiven && required === true) {
      refuse("missing-field", `${toPointer(here)} has no ${name}`, toPointer(place));
    }
  }
}

export function wrong(here: Path, expected: string, refuse: Refuse): void {
  refuse("wrong-type", `${toPointer(here)} is not ${expected}`, toPointer(here));
}
