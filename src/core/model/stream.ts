// Reading a streamed call to its end, with or without its deltas.

import { AgentError } from "../errors.js";
import { showValue } from "../text/show.js";
import type { LlmStreamDelta, LlmStreamEvent, LlmTurnResponse } from "./provider.js";

/** The stream's response, which ends the iteration. Rejects if the stream ends without one. Awaits `onDelta` before it reads on. */
export async function readStream(
  events: AsyncIterable<LlmStreamEvent>,
  name: string,
  onDelta: (delta: LlmStreamDelta) => Promise<void> | undefined = () => undefined,
): Promise<LlmTurnResponse> {
  for await (const event of events) {
    const own = readEvent(event, name);
    if (own.type === "response") return own.response;
    const pause = onDelta(own);
    if (pause !== undefined) await pause;
  }
  throw new AgentError("provider-response", `the stream of provider ${name} ended without a response`, {
    kind: "unknown",
    hint: "A provider's stream(request) ends with { type: 'response', response }, or throws.",
  });
}

/** A copy of an event, each field read once. */
function readEvent(event: unknown, name: string): LlmStreamEvent {
  const own: unknown = typeof event === "object" && event !== null ? { ...event } : event;
  const { type, text, argumentsText } = (own ?? {}) as Record<string, unknown>;
  const isKnown =
    type === "response" ||
    ((type === "text-delta" || type === "reasoning-delta") && typeof text === "string") ||
    (type === "tool-call-delta" && typeof argumentsText === "string");
  if (isKnown) return own as LlmStreamEvent;
  throw new AgentError("provider-response", `the stream of provider ${name} yielded ${showValue(own)}`, {
    kind: "unknown",
    hint: "A stream yields { type: 'text-delta', text } and the like, and last { type: 'response', response }.",
  });
}

/** The whole answer by the first event of its stream. Kept outside the event, so that only `answerAhead` shows it. */
const ahead = new WeakMap<LlmStreamEvent, LlmTurnResponse>();

/** For adapters: passes on `events`, and lets `answerAhead` know the `response` at the first one. */
export async function* tellAhead(
  response: LlmTurnResponse,
  events: Iterable<LlmStreamEvent> | AsyncIterable<LlmStreamEvent>,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  let isFirst = true;
  for await (const event of events) {
    if (isFirst) ahead.set(event, response);
    isFirst = false;
    yield event;
  }
}

/** For adapters: the response at the end of the stream that begins with `event`, if its provider knows it. */
export function answerAhead(event: LlmStreamEvent): LlmTurnResponse | undefined {
  return event.type === "response" ? event.response : ahead.get(event);
}
