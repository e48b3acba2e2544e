// Reads whether a run succeeded, from `extensions.outcome` or, after an import, from `extensions.import.outcome`.

import type { Cassette } from "../../cassette/index.js";
import { isPlainObject, valueAt } from "../../core/index.js";
import { cutWithCount } from "./paths/typical.js";
import { scenarioOf } from "./scenarios.js";

/** RFC 6901 pointers into the outcome, in the order they are tried: the fields of common benchmarks. */
const DEFAULT_POINTERS = ["/success", "/utility", "/passed", "/resolved", "/reward"];

/** `broken-off`: the run recorded an error instead of an outcome. `unrecorded`: it recorded neither. */
type RunOutcome = "succeeded" | "failed" | "broken-off" | "unrecorded";

/**
 * Reads a boolean, or a number where 1 means success, and ignores other values. With `pointer`, it reads only that place. A run
 * that recorded an `error` and a `success` of null is broken off, never a success.
 */
export function outcomeOf(cassette: Cassette, pointer?: string): RunOutcome {
  if (cassette.version === 1) return "unrecorded";
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
  return outcomes.some(hasError) ? "broken-off" : "unrecorded";
}

export function successOf(cassette: Cassette, pointer?: string): boolean | undefined {
  const outcome = outcomeOf(cassette, pointer);
  return outcome === "succeeded" || outcome === "failed" ? outcome === "succeeded" : undefined;
}

/** The message of a run that did not succeed. Undefined if it recorded none. */
export function failureOf(cassette: Cassette): string | undefined {
  if (cassette.version === 1) return undefined;
  const outcome = cassette.extensions?.["outcome"];
  const error = isPlainObject(outcome) ? outcome["error"] : undefined;
  return typeof error !== "string" || error === "" ? undefined : cutWithCount(error);
}

/** The scenario of the first cassette of a test, if this one is another of that test and has the same outcome. */
export function sharedScenario(cassette: Cassette, scenario: string): string | undefined {
  if (cassette.version === 1) return undefined;
  const outcome = cassette.extensions?.["outcome"];
  const file = isPlainObject(outcome) ? outcome["sharedWith"] : undefined;
  if (typeof file !== "string") return undefined;
  const folder = scenario.split("/").slice(0, -1);
  for (const step of scenarioOf(file).split("/")) {
    if (step === "..") folder.pop();
    else folder.push(step);
  }
  return folder.join("/");
}

function hasError(outcome: unknown): boolean {
  return isPlainObject(outcome) && (outcome["error"] ?? null) !== null;
}
