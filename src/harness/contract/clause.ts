// A contract is a list of clauses. Conformance suites run each clause as a fixed case, and laws check drawn values against them.

import { canonicalize } from "../../core/index.js";
import { describeGiven } from "./check-inputs.js";
import { findStrictImpurity } from "./json.js";

export interface Clause<S, R = void | Promise<void>> {
  readonly name: string;
  /** One sentence: how to fix a broken promise. */
  readonly advice: string;
  /** Throws a {@link Violation} if the promise is broken. */
  readonly check: (subject: S) => R;
}

export function toClauses<S, R = void | Promise<void>>(
  record: Readonly<Record<string, Omit<Clause<S, R>, "name">>>,
): Clause<S, R>[] {
  return Object.entries(record).map(([name, clause]) => ({ name, ...clause }));
}

/** A broken promise: both sides, and a message that describes them. */
export class Violation extends Error {
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(message: string, sides: { expected: unknown; actual: unknown; cause?: unknown }) {
    super(message, sides.cause === undefined ? undefined : { cause: sides.cause });
    this.expected = sides.expected;
    this.actual = sides.actual;
  }
}

const SHOWN_CHARACTERS = 200;

export function fail(what: string, actual: unknown, expected: unknown): never {
  throw new Violation(`${what}: expected ${shown(expected)}, got ${shown(actual)}`, { expected, actual });
}

/** Fails unless both are the same JSON, in any order of keys. Undefined equals only itself. */
export function assertSame(what: string, actual: unknown, expected: unknown): void {
  if (!isSame(actual, expected)) fail(what, actual, expected);
}

export function isSame(one: unknown, other: unknown): boolean {
  return comparable(one) === comparable(other);
}

/** The message of the violation that `check` throws, or undefined if it throws no violation. Other errors pass through. */
export function violationOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}

/** Runs `check`, and adds `where` to the message of a violation. */
export function locate(where: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw error instanceof Violation ? new Violation(`${where}: ${error.message}`, error) : error;
  }
}

/** The canonical JSON of a value. A value that is not JSON gets a text that is not JSON. */
function comparable(value: unknown): string {
  try {
    return canonicalize(value);
  } catch {
    return `not JSON: ${typeof value} ${Object.prototype.toString.call(value)} ${stringOf(value)}`;
  }
}

function stringOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "without a text";
  }
}

function shown(value: unknown): string {
  const text = findStrictImpurity(value) === undefined ? canonicalize(value) : describeGiven(value);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters)`;
}
