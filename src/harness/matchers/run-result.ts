// The result of a run as a test hands it to a matcher.

import { findMessageFlaw, isPlainObject, type AgentEvent, type LlmMessage, type RunResult } from "../../core/index.js";
import { callsOf, type RecordedCall } from "../../cassette/index.js";
import { cassetteOf, findCarrier } from "./carrier.js";
import { misuse } from "./matcher.js";
import { describeValue } from "../text/describe.js";

/** What the matchers read of a run that went through the runtime. */
export type RunLike = Pick<RunResult, "visits" | "ended" | "events" | "droppedEvents" | "runId" | "turns">;

/** Undefined for everything but what `run()` gave. */
export function findRun(received: unknown): RunLike | undefined {
  if (!isPlainObject(received)) return undefined;
  const { visits, ended, events, droppedEvents, runId, turns } = received as Partial<Record<keyof RunResult, unknown>>;
  const isRun = areVisits(visits) && isPlainObject(ended) && Array.isArray(events) && typeof droppedEvents === "number";
  return isRun && typeof runId === "string" && typeof turns === "number" ? (received as unknown as RunLike) : undefined;
}

/** The same, or a throw. */
export function runOf(matcher: string, received: unknown, hint: string): RunLike {
  const run = findRun(received);
  if (run !== undefined) return run;
  throw misuse(matcher, `it needs the result of a run and was given ${describeValue(received)}`, hint);
}

/** What one agent said while it was entered. */
export interface VisitLike {
  readonly agentId: string;
  readonly messages: readonly LlmMessage[];
}

export function areVisits(value: unknown): value is readonly VisitLike[] {
  return Array.isArray(value) && value.length > 0 && value.every(isVisit);
}

function isVisit(value: unknown): value is VisitLike {
  const { agentId, messages } = (value ?? {}) as Partial<VisitLike>;
  return typeof agentId === "string" && areMessages(messages);
}

function areMessages(value: unknown): value is readonly LlmMessage[] {
  return Array.isArray(value) && value.every((message) => findMessageFlaw(message) === undefined);
}

/** The events of one kind, in their order. */
export function eventsOf<T extends AgentEvent["type"]>(
  { events }: Pick<RunLike, "events">,
  type: T,
): Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

/** A call that the model asked for. Turns are counted over the whole run, whichever agent took them. */
export type MadeCall = Pick<RecordedCall, "turn" | "name" | "arguments" | "malformedArguments">;

export interface MadeCalls {
  calls: readonly MadeCall[];
  turns: number;
}

export const RUN_HINT =
  "Pass the result of run(), a cassette, a recordingProvider, a cassetteProvider, or the handle of useCassette.";

/** Every call of a run, whatever became of it. Throws for what is neither a run nor carries a cassette. */
export function madeCallsOf(matcher: string, received: unknown): MadeCalls {
  if (findCarrier(received) !== undefined) {
    const cassette = cassetteOf(matcher, received, false);
    return { calls: callsOf(cassette), turns: cassette.entries.length };
  }
  const messages = messagesOf(received);
  if (messages !== undefined) return callsIn(messages);
  const what = `it needs a run or what carries a cassette and was given ${describeValue(received)}`;
  throw misuse(matcher, what, RUN_HINT);
}

/** Of a run of several agents what all of them said. */
function messagesOf(received: unknown): readonly LlmMessage[] | undefined {
  const { visits, messages } = (received ?? {}) as { visits?: unknown; messages?: unknown };
  if (areVisits(visits)) return visits.flatMap((visit) => visit.messages);
  return areMessages(messages) && messages.length > 0 ? messages : undefined;
}

function callsIn(messages: readonly LlmMessage[]): MadeCalls {
  const answers = messages.filter((message) => message.role === "assistant");
  const calls = answers.flatMap(({ toolCalls = [] }, turn) => toolCalls.map((call) => ({ turn, ...call })));
  return { calls, turns: answers.length };
}
