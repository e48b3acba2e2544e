// Reads the result of a run that a test passes to a matcher.

import { findMessageFlaw, isPlainObject, type AgentEvent, type LlmMessage, type RunResult } from "../../core/index.js";
import { callsOf, type RecordedCall } from "../../cassette/index.js";
import { cassetteOf, findCarrier } from "./carrier.js";
import { misfit } from "./matcher.js";

/** The fields of a runtime's result that matchers read. */
export type RunLike = Pick<RunResult, "visits" | "ended" | "events" | "droppedEvents" | "runId" | "turns">;

export function findRun(received: unknown): RunLike | undefined {
  if (!isPlainObject(received)) return undefined;
  const { visits, ended, events, droppedEvents, runId, turns } = received as Partial<Record<keyof RunResult, unknown>>;
  const isRun = areVisits(visits) && isPlainObject(ended) && Array.isArray(events) && typeof droppedEvents === "number";
  return isRun && typeof runId === "string" && typeof turns === "number" ? (received as unknown as RunLike) : undefined;
}

export function runOf(matcher: string, received: unknown, hint: string): RunLike {
  const run = findRun(received);
  if (run !== undefined) return run;
  throw misfit(matcher, "it needs the result of a run", received, hint);
}

/** The conversation of one agent during one visit. */
interface VisitLike {
  readonly agentId: string;
  readonly messages: readonly LlmMessage[];
}

export function areVisits(value: unknown): value is readonly VisitLike[] {
  const isVisit = (visit: unknown): boolean => {
    const { agentId, messages } = (visit ?? {}) as Partial<VisitLike>;
    return typeof agentId === "string" && areMessages(messages);
  };
  return Array.isArray(value) && value.length > 0 && value.every(isVisit);
}

function areMessages(value: unknown): value is readonly LlmMessage[] {
  return Array.isArray(value) && value.every((message) => findMessageFlaw(message) === undefined);
}

export function eventsOf<T extends AgentEvent["type"]>(
  { events }: Pick<RunLike, "events">,
  type: T,
): Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

/** A call that the model requested. Turns are counted over the whole run, across all agents. */
export type MadeCall = Pick<RecordedCall, "turn" | "name" | "arguments" | "malformedArguments">;

export const RUN_HINT =
  "Pass the result of run(), a cassette, a recordingProvider, a cassetteProvider, or the handle of useCassette.";

/** Every requested call of a run, whether it succeeded or not. Throws unless `received` is a run or carries a cassette. */
export function madeCallsOf(matcher: string, received: unknown): { calls: readonly MadeCall[]; turns: number } {
  if (findCarrier(received) !== undefined) {
    const cassette = cassetteOf(matcher, received, false);
    return { calls: callsOf(cassette), turns: cassette.entries.length };
  }
  const messages = messagesOf(received);
  if (messages === undefined) throw misfit(matcher, "it needs a run or a value with a cassette", received, RUN_HINT);
  const answers = messages.filter((message) => message.role === "assistant");
  const calls = answers.flatMap(({ toolCalls = [] }, turn) => toolCalls.map((call) => ({ turn, ...call })));
  return { calls, turns: answers.length };
}

/** The messages of a run, across all its agents. */
function messagesOf(received: unknown): readonly LlmMessage[] | undefined {
  const { visits, messages } = (received ?? {}) as { visits?: unknown; messages?: unknown };
  if (areVisits(visits)) return visits.flatMap((visit) => visit.messages);
  return areMessages(messages) && messages.length > 0 ? messages : undefined;
}
