// Options objects are closed: a name nobody reads is refused, since a misspelled one would otherwise do nothing in silence,
// and some of them decide where a key goes or what is scrubbed.

import { AgentError } from "./errors.js";

/** The keys of `options` that are not among `known`. */
export function unknownOptions(options: object, known: readonly string[]): string[] {
  return Object.keys(options).filter((key) => !known.includes(key));
}

/**
 * For adapters: checks that `options` has no other names than `known`. Throws `AgentError` `invalid-options`, naming
 * `owner`, the unknown names and the known ones.
 */
export function assertKnownOptions(owner: string, options: object, known: readonly string[]): void {
  const unknown = unknownOptions(options, known);
  if (unknown.length === 0) return;
  throw new AgentError("invalid-options", `${owner} has an unknown option: ${unknown.join(", ")}`, {
    hint: `The options are ${known.join(", ")}.`,
  });
}

/** The most characters of a wrong text that an error shows. */
const MAX_SHOWN_LENGTH = 60;

/** A wrong value as an error names it: a text in quotes, so that "5" is not taken for 5, and of what is larger its kind. */
export function showValue(value: unknown): string {
  if (typeof value === "string") {
    const isLong = value.length > MAX_SHOWN_LENGTH;
    return JSON.stringify(isLong ? `${value.slice(0, MAX_SHOWN_LENGTH).toWellFormed()}…` : value);
  }
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}
