// Calls a provider for the cases, by turn or stream. A call that hangs or returns no stream fails with its own message.

import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnRequest, LlmTurnResponse } from "../../../core/index.js";
import { Violation } from "../../contract/clause.js";
import { iteratorOf, leaveStream, readPieces, responseOf } from "../../contract/stream.js";
import { within } from "../../contract/waiting.js";
import type { ProviderRequests } from "./requests.js";

export interface ProviderSubject {
  readonly provider: LlmProviderAdapter;
  /** Copies that a provider may change: only one clause is about a provider that does so. */
  readonly requests: ProviderRequests;
  readonly patienceMs: number;
}

export type Way = "turn" | "stream";

export function waysOf({ provider }: ProviderSubject): Way[] {
  return provider.stream === undefined ? ["turn"] : ["turn", "stream"];
}

type Asked = Pick<ProviderSubject, "provider" | "patienceMs">;

/** Calls `turn`. Rejects even if `turn` throws at once. */
export function ask({ provider, patienceMs }: Asked, request: LlmTurnRequest): Promise<LlmTurnResponse> {
  return within(patienceMs, "the answer", () => provider.turn(request));
}

/** The whole stream, or undefined for a provider without streams. */
export async function watch({ provider, patienceMs }: Asked, request: LlmTurnRequest) {
  return provider.stream === undefined ? undefined : readAll(iteratorOf(provider.stream(request)), patienceMs);
}

/** The response by either way, or undefined if a stream had no response. */
export async function answerBy(way: Way, subject: ProviderSubject, request: LlmTurnRequest) {
  return way === "turn" ? ask(subject, request) : responseOf(await watch(subject, request));
}

export async function readAll(iterator: AsyncIterator<LlmStreamEvent>, patienceMs: number): Promise<LlmStreamEvent[]> {
  const events: LlmStreamEvent[] = [];
  let isLeft = false;
  try {
    await within(patienceMs, "the end of the stream", () => readPieces(iterator, events, () => isLeft));
  } catch (error) {
    isLeft = true;
    if (error instanceof Violation) leaveStream(iterator);
    throw error;
  }
  return events;
}
