// Options objects are closed. A misspelled name is refused, because it would silently do nothing, and some options decide where
// a key goes or what is redacted.

import { invalidOptions } from "./errors.js";

/** True for any object but a list, also for an instance of a class. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function unknownOptions(options: object, known: readonly string[]): string[] {
  return Object.keys(options).filter((key) => !known.includes(key));
}

/** For adapters: throws `AgentError` `invalid-options` if `options` of `owner` has a name that is not in `known`. */
export function assertKnownOptions(owner: string, options: object, known: readonly string[]): void {
  const unknown = unknownOptions(options, known);
  if (unknown.length === 0) return;
  throw invalidOptions(`${owner} has an unknown option: ${unknown.join(", ")}`, `The options are ${known.join(", ")}.`);
}
