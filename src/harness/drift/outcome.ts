// Whether a run succeeded, where its recording says so: `extensions.outcome` of our own recordings, or the outcome an
// importer kept in `extensions.import.outcome`.

import type { Cassette } from "../../cassette/index.js";
import { isPlainObject, valueAt } from "../../core/index.js";

/** Where a benchmark says it, in the order they are tried: RFC 6901 pointers into the outcome. */
const DEFAULT_POINTERS = ["/success", "/utility", "/passed", "/resolved", "/reward"];

/** `broken-off`: it recorded an error, and not whether it succeeded. `untold`: it says nothing. */
export type RunOutcome = "succeeded" | "failed" | "broken-off" | "untold";

/**
 * True or false, or a number that is 1 for success; anything else says nothing. `pointer` looks in that one place only. A run
 * that recorded an `error` and a `success` of null is broken off, whatever else stands beside them: it is never a success.
 */
export function outcomeOf(cassette: Cassette, pointer?: string): RunOutcome {
  if (cassette.version === 1) return "untold";
  const imported = cassette.extensions?.["import"];
  const outcomes = [cassette.extensions?.["outcome"], isPlainObject(imported) ? imported["outcome"] : undefined];
  if (pointer === undefined && outcomes.some((outcome) => hasError(outcome) && valueAt(outcome, "/success") === null)) {
    return "broken-off";
  }
  for (const place of pointer === undefined ? DEFAULT_POINTERS : [pointer]) {
    for (const outcome of outcomes) {
      const value = valueAt(outcome, place);
      if (typeof value === "boolean") return value ? "succeeded" : "failed";
      if (typeof value === "number") return value === 1 ? "succeeded" : "failed";
    }
  }
  return outcomes.some(hasError) ? "broken-off" : "untold";
}

/** Whether a run succeeded; nothing where it does not say so. */
export function successOf(cassette: Cassette, pointer?: string): boolean | undefined {
  switch (outcomeOf(cassette, pointer)) {
    case "succeeded":
      return true;
    case "failed":
      return false;
    case "broken-off":
    case "untold":
      return undefined;
  }
}

function hasError(outcome: unknown): boolean {
  return isPlainObject(outcome) && (outcome["error"] ?? null) !== null;
}
