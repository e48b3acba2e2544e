// Options objects are closed. A misspelled name is refused, because it would have no effect, and some options control where an API
// key goes or which secrets are redacted.

import { invalidOptions } from "./errors.js";
import { showValue } from "./text/show.js";

/** True for any object except a list, including an instance of a class. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function unknownOptions(options: object, known: readonly string[]): string[] {
  return Object.keys(options).filter((key) => !known.includes(key));
}

/** Throws `AgentError` `invalid-options` if the `options` of `owner` are not an object, or have a name that is not in `known`. For adapters. */
export function assertKnownOptions(owner: string, options: object, known: readonly string[]): void {
  if (!isObject(options))
    throw invalidOptions(`${owner} cannot use the options ${showValue(options)}`, "Pass an object.");
  const unknown = unknownOptions(options, known);
  if (unknown.length === 0) return;
  throw invalidOptions(`${owner} has an unknown option: ${unknown.join(", ")}`, `The options are ${known.join(", ")}.`);
}
