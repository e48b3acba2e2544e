// What a case of a conformance suite is, and how it fails: by a plain Error that carries both sides, as any test runner shows it.

import { canonicalize, type RuntimeMemory } from "../../core/index.js";

/** One fact that must hold. Hand `name` and `run` to whatever runs the tests. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an Error that has `expected` and `actual` when the fact does not hold. */
  run(): Promise<void>;
}

/** Checks one fact on a store that is empty and used by nobody else. */
export type MemoryCheck = (memory: RuntimeMemory) => Promise<void>;

const MAX_SHOWN = 200;

/** Fails unless both are the same JSON, whatever the order of their keys; undefined is equal to itself alone. */
export function assertSame(what: string, actual: unknown, expected: unknown): void {
  if (toText(actual) === toText(expected)) return;
  fail(what, actual, expected);
}

/** Throws the Error of a violated fact. */
export function fail(what: string, actual: unknown, expected: unknown): never {
  const message = `${what}: expected ${shown(expected)}, got ${shown(actual)}`;
  throw Object.assign(new Error(message), { expected, actual });
}

/** What is no JSON at all has a text too, which no JSON has. */
function toText(value: unknown): string {
  try {
    return canonicalize(value);
  } catch {
    return `not JSON: ${typeof value} ${String(value)}`;
  }
}

function shown(value: unknown): string {
  const text = toText(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}
