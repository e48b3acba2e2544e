// A streamed call read to its end, by whoever wants the response and may want to see it come.

import { AgentError } from "../errors.js";
import type { LlmStreamDelta, LlmStreamEvent, LlmTurnResponse } from "./provider.js";

/** Resolves to the stream's response and ends the iteration there. Rejects when the stream ends without one. */
export async function readStream(
  events: AsyncIterable<LlmStreamEvent>,
  name: string,
  onDelta: (delta: LlmStreamDelta) => void = () => undefined,
): Promise<LlmTurnResponse> {
  for await (const event of events) {
    if (event.type === "response") return event.response;
    onDelta(event);
  }
  throw new AgentError("provider-response", `the stream of provider ${name} ended without a response`, {
    kind: "unknown",
    hint: "A provider's stream(request) ends with { type: 'response', response }, or throws.",
  });
}
