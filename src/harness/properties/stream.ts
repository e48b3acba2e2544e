// A stream read whole, and what is wrong with its pieces: the response comes once and last, and the deltas are parts of it.

import type { LlmStreamEvent, LlmTurnResponse } from "../../core/index.js";

/** Everything that a stream gives, in its order. */
export async function gather(events: AsyncIterable<LlmStreamEvent>): Promise<readonly LlmStreamEvent[]> {
  const all: LlmStreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** `whole` is the response, once there is no fault before it. */
export function findStreamFault(gathered: unknown): { fault?: string; whole?: unknown } {
  const events = gathered as readonly LlmStreamEvent[];
  const odd = events.findIndex((event: unknown) => typeof event !== "object" || event === null);
  if (odd !== -1) return { fault: `piece ${odd} is no object` };
  const places = events.flatMap(({ type }, index) => (type === "response" ? [index] : []));
  if (places.length !== 1) return { fault: `it gave ${places.length} responses` };
  if (places[0] !== events.length - 1) return { fault: "something came after the response" };
  const { response } = events.at(-1) as { response: LlmTurnResponse };
  const fault = findDeltaFault(events.slice(0, -1), response);
  return fault === undefined ? { whole: response } : { fault };
}

function findDeltaFault(deltas: readonly LlmStreamEvent[], response: LlmTurnResponse): string | undefined {
  const said = deltas.map((delta) => (delta.type === "text-delta" ? delta.text : "")).join("");
  const content = response?.message?.content;
  if (said !== "" && said !== content)
    return `its text is ${JSON.stringify(said)} and that of the response ${JSON.stringify(content)}`;
  const calls = response?.message?.toolCalls?.length ?? 0;
  const beyond = deltas.find((delta) => delta.type === "tool-call-delta" && !(delta.index >= 0 && delta.index < calls));
  return beyond === undefined ? undefined : `a piece is of a call that the response does not have`;
}
