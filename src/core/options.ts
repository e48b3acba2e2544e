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
