// How a provider is asked, by either way, so that a call which never ends or gives what is no stream is told as such.

import type { LlmStreamEvent, LlmToolCall, LlmTurnRequest, LlmTurnResponse } from "../../../core/index.js";
import { isPlainObject } from "../../../core/index.js";
import { MAX_PIECES } from "../../contract/stream.js";
import { fail, Violation, within, type ProviderSubject } from "../case.js";

/** The two ways of one call. */
export type Way = "turn" | "stream";

/** The ways that a provider has. */
export function waysOf({ provider }: ProviderSubject): Way[] {
  return provider.stream === undefined ? ["turn"] : ["turn", "stream"];
}

type Asked = Pick<ProviderSubject, "provider" | "patienceMs">;

/** `turn`, as something that rejects also where it throws at once. */
export async function ask({ provider, patienceMs }: Asked, request: LlmTurnRequest): Promise<LlmTurnResponse> {
  return within(
    patienceMs,
    "the answer",
    Promise.resolve().then(() => provider.turn(request)),
  );
}

/** All of a stream, or undefined where the provider has none. */
export async function watch(subject: ProviderSubject, request: LlmTurnRequest): Promise<LlmStreamEvent[] | undefined> {
  const { provider } = subject;
  return provider.stream === undefined ? undefined : readAll(provider.stream(request), subject);
}

/** The response by either way; undefined where a stream gave none. */
export async function answerBy(
  way: Way,
  subject: ProviderSubject,
  request: LlmTurnRequest,
): Promise<LlmTurnResponse | undefined> {
  return way === "turn" ? ask(subject, request) : responseOf(await watch(subject, request));
}

/** The first response of a stream. */
export function responseOf(events: readonly LlmStreamEvent[] = []): LlmTurnResponse | undefined {
  return events.find((event) => event?.type === "response")?.response;
}

/** The calls of what may be no response at all. */
export function callsOf(response: unknown): readonly LlmToolCall[] {
  const calls: unknown = (response as Partial<LlmTurnResponse> | undefined)?.message?.toolCalls;
  return Array.isArray(calls) ? calls.filter((call): call is LlmToolCall => isPlainObject(call)) : [];
}

/** All that a stream says, within the time that a call has. */
export async function readAll(events: unknown, { patienceMs }: ProviderSubject): Promise<LlmStreamEvent[]> {
  const iterator = iteratorOf(events);
  const all: LlmStreamEvent[] = [];
  let isOver = false;
  const drain = async (): Promise<void> => {
    while (!isOver) {
      const next = (await iterator.next()) as IteratorResult<LlmStreamEvent, undefined> | null | undefined;
      if (next === null || typeof next !== "object") fail("what next() gives", next, "{ done, value }");
      if (next.done === true) return;
      all.push(next.value);
      if (all.length > MAX_PIECES) fail("how many pieces a stream has", `more than ${MAX_PIECES}`, "an end");
    }
  };
  try {
    await within(patienceMs, "the end of the stream", drain());
  } catch (error) {
    isOver = true;
    if (error instanceof Violation) leave(iterator);
    throw error;
  }
  return all;
}

/** Fails for what cannot be read piece by piece. */
export function iteratorOf(events: unknown): AsyncIterator<LlmStreamEvent> {
  const open: unknown = (events as Partial<AsyncIterable<LlmStreamEvent>> | null | undefined)?.[Symbol.asyncIterator];
  if (typeof open !== "function") fail("what stream gives", events, "an async iterable");
  return open.call(events) as AsyncIterator<LlmStreamEvent>;
}

/** What comes of it, and whether anything does, is waited for by nobody. */
function leave(iterator: AsyncIterator<LlmStreamEvent>): void {
  void Promise.resolve()
    .then(() => iterator.return?.())
    .catch(() => undefined);
}
