// What a case of a conformance suite is, and how it fails: by a plain Error that carries both sides, as any test runner shows it.

import {
  canonicalize,
  systemPorts,
  within as settleWithin,
  type LlmProviderAdapter,
  type LlmTurnRequest,
  type RuntimeMemory,
} from "../../core/index.js";
import { describeThrown } from "../contract/thrown.js";

/** One fact that must hold. Hand `name` and `run` to whatever runs the tests. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an Error that has `expected` and `actual`, and says what to do, when the fact does not hold. */
  run(): Promise<void>;
}

/** Checks one fact on a store that is empty and used by nobody else. */
export type MemoryCheck = (memory: RuntimeMemory) => Promise<void>;

/** Every request of the suite by its name. */
export type ProviderRequests = Readonly<Record<"plain" | "tools" | "settings" | "conversation", LlmTurnRequest>>;

/** A provider that nobody else asks, and what it may be asked. */
export interface ProviderSubject {
  readonly provider: LlmProviderAdapter;
  readonly requests: ProviderRequests;
  /** The same, deeply frozen. */
  readonly frozen: ProviderRequests;
  readonly patienceMs: number;
}

/** Checks one fact on a provider. */
export type ProviderCheck = (subject: ProviderSubject) => Promise<void>;

/** The Error of a fact that does not hold. */
export class Violation extends Error {
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(message: string, sides: { expected: unknown; actual: unknown; cause?: unknown }) {
    super(message, sides.cause === undefined ? undefined : { cause: sides.cause });
    this.expected = sides.expected;
    this.actual = sides.actual;
  }
}

/** The same for what the factory of the subject did, which has said already what to do. */
export class FactoryViolation extends Violation {}

const MAX_SHOWN = 200;

/** Fails unless both are the same JSON, whatever the order of their keys; undefined is equal to itself alone. */
export function assertSame(what: string, actual: unknown, expected: unknown): void {
  if (isSame(actual, expected)) return;
  fail(what, actual, expected);
}

/** Whether both are the same JSON, whatever the order of their keys. */
export function isSame(one: unknown, other: unknown): boolean {
  return toText(one) === toText(other);
}

/** Throws the Error of a violated fact. */
export function fail(what: string, actual: unknown, expected: unknown): never {
  throw violation(what, actual, expected);
}

function violation(what: string, actual: unknown, expected: unknown): Violation {
  return new Violation(`${what}: expected ${shown(expected)}, got ${shown(actual)}`, { expected, actual });
}

/** Carries out one case: whatever goes wrong in it becomes one kind of error, which ends with what to do. */
export async function advised(advice: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof FactoryViolation) throw error;
    if (error instanceof Violation) {
      throw new Violation(`${error.message}. ${advice}`, { expected: error.expected, actual: error.actual });
    }
    const actual = describeThrown(error);
    throw new Violation(`it threw ${actual}. ${advice}`, { expected: "no error", actual, cause: error });
  }
}

/** As `work` settles; fails when that takes longer than `ms`. */
export function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  return settleWithin(work, ms, systemPorts, () => violation(what, `nothing within ${ms} ms`, "something"));
}

/** What `work` rejects with; fails when it fulfils, and as `work` does where this says that it never ended. */
export async function rejection(what: string, work: Promise<unknown>): Promise<unknown> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) fail(what, outcome.value, "a rejection");
  if (outcome.error instanceof Violation) throw outcome.error;
  return outcome.error;
}

/** What is no JSON at all has a text too, which no JSON has. */
function toText(value: unknown): string {
  try {
    return canonicalize(value);
  } catch {
    return `not JSON: ${typeof value} ${Object.prototype.toString.call(value)} ${nameOf(value)}`;
  }
}

function nameOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "without a text";
  }
}

function shown(value: unknown): string {
  const text = typeof value === "function" ? "a function" : toText(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}
