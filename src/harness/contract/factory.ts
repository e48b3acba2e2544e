// Checks a function that makes the subject of a check: each call must return a complete, new one.

import { describeGiven, isClass, letGo } from "./check-inputs.js";
import { describeThrown } from "./thrown.js";
import { settle } from "./waiting.js";

export interface Making {
  /** The subject in words: `provider`. */
  readonly kind: string;
  readonly missing: (subject: unknown) => string[];
  readonly made: WeakSet<object>;
  /** Throws for a fault of the factory; `fault` is a clause such as `gave undefined instead of a new provider`. */
  readonly blame: (fault: string, actual: unknown, cause?: unknown) => never;
}

/** Fails unless a subject is complete and was not made before. */
export function assertNew({ kind, missing, made, blame }: Making, subject: unknown): void {
  letGo(subject);
  const lacks = missing(subject);
  const given = describeGiven(subject);
  if (lacks.length > 0) blame(`gave ${given} instead of a new ${kind}: it has no ${lacks.join(", no ")}`, given);
  if (made.has(subject as object)) blame(`gave the same ${kind} as at an earlier call`, "the same one");
  made.add(subject as object);
}

/** Wraps the factory to report its faults: it throws, takes too long, or returns a subject that is incomplete or not new. */
export function checkedFactory<A extends unknown[], T>(
  making: Making,
  timeoutMs: number,
  factory: (...args: A) => T | Promise<T>,
): (...args: A) => Promise<T> {
  return async (...args) => {
    const end = await settle(() => factory(...args), timeoutMs);
    if (end.kind === "late") return making.blame(`gave nothing within ${timeoutMs} ms`, "nothing");
    if (end.kind === "thrown") {
      const thrown = describeThrown(end.error);
      return making.blame(`threw ${thrown}`, thrown, end.error);
    }
    assertNew(making, end.value);
    return end.value as T;
  };
}

export function factoryHint(given: unknown, hint: string): string {
  return isClass(given) ? `Pass () => new ${given.name === "" ? "It" : given.name}().` : hint;
}
