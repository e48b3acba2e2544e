// What a case of a conformance suite is, and how it fails: by a plain Error that carries both sides, as any test runner shows it.

import {
  canonicalize,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
  type RuntimeMemory,
} from "../../core/index.js";

/** One fact that must hold. Hand `name` and `run` to whatever runs the tests. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an Error that has `expected` and `actual` when the fact does not hold. */
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

/** As `work` settles; fails when that takes longer than `ms`. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(resolve, ms, "late");
  });
  try {
    const first = await Promise.race([work.then((value) => ({ value })), late]);
    if (first === "late") fail(what, `nothing within ${ms} ms`, "something");
    return first.value;
  } finally {
    clearTimeout(timer);
  }
}

/** What `work` rejects with; fails when it fulfils. */
export async function rejection(what: string, work: Promise<unknown>): Promise<unknown> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in outcome) return outcome.error;
  fail(what, outcome.value, "a rejection");
}

/** All that a stream says, each piece within the time there is. */
export async function readAll(
  events: AsyncIterable<LlmStreamEvent>,
  { patienceMs }: ProviderSubject,
): Promise<LlmStreamEvent[]> {
  const all: LlmStreamEvent[] = [];
  const iterator = events[Symbol.asyncIterator]();
  for (;;) {
    const next = await within(patienceMs, "the next piece of the stream", iterator.next());
    if (next.done === true) return all;
    all.push(next.value);
  }
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
