// A streamed call read to its end, by whoever wants the response and may want to see it come.

import { AgentError } from "../errors.js";
import { showValue } from "../text/show.js";
import type { LlmStreamDelta, LlmStreamEvent, LlmTurnResponse } from "./provider.js";

/**
 * Resolves to the stream's response and ends the iteration there. Rejects when the stream ends without one. Waits for what `onDelta`
 * gives before it asks for more.
 */
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

/** An event of our own, each field read once. */
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

/** The whole answer, by the first event of its stream. Beside the event and not in it: nobody who does not ask ever sees it. */
const ahead = new WeakMap<LlmStreamEvent, LlmTurnResponse>();

/**
 * For adapters: `events`, the first of which tells `answerAhead` the `response`; for a provider that has it before it
 * streams.
 */
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

/** For adapters: the response that the stream which begins with `event` will end with, where its provider knows. */
export function answerAhead(event: LlmStreamEvent): LlmTurnResponse | undefined {
  return event.type === "response" ? event.response : ahead.get(event);
}
