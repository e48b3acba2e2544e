// The body of a streamed reply: cut as the answer was recorded, and with its timing on request.

import { createWait, DEFAULT_MAX_GAP_MS, type Streaming, type StreamPlan } from "../../cassette/index.js";
import {
  cutAs,
  systemPorts,
  type TimedEvent,
  type LlmTurnResponse,
  type TimedStreamDelta,
  type Wire,
  type WireStamp,
} from "../../core/index.js";
import type { WireBody } from "./reply.js";

/** How streamed replies are served. `whole` ignores the recorded pieces and cuts evenly. */
export interface ServedStreaming {
  readonly streaming: Streaming;
  /** How many times faster than recorded. */
  readonly speed: number;
}

/** The events of a streamed reply. Without a `plan` they are cut evenly and sent at once. */
export function streamBody(
  wire: Wire,
  response: LlmTurnResponse,
  stamp: WireStamp,
  plan: StreamPlan | undefined,
  { streaming, speed }: ServedStreaming,
  signal: AbortSignal,
): WireBody {
  if (plan === undefined || streaming === "whole") return wire.stream(response, stamp);
  const { deltas, end } = toTimes(plan);
  const events = wire.events(response, stamp, cutAs(deltas));
  return streaming === "timed" ? inTime(events, end, speed, signal) : events.map(({ text }) => text);
}

/** Times since the call, with gaps up to the limit. */
function toTimes({ deltas, endMs }: StreamPlan): { deltas: TimedStreamDelta[]; end: number } {
  let at = 0;
  const timed = deltas.map(({ delta, gapMs }) => ({ delta, at: (at += Math.min(gapMs, DEFAULT_MAX_GAP_MS)) }));
  return { deltas: timed, end: at + Math.min(endMs, DEFAULT_MAX_GAP_MS) };
}

/** An event without content follows the one before it at once. The last one waits for the recorded end. */
async function* inTime(
  events: readonly TimedEvent[],
  end: number,
  speed: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const wait = createWait({ speed, maxGapMs: Infinity, ports: systemPorts }, signal);
  const encoder = new TextEncoder();
  let last = 0;
  for (const [index, { text, at }] of events.entries()) {
    const due = Math.max(last, index === events.length - 1 ? end : at);
    await wait(due - last);
    last = due;
    yield typeof text === "string" ? encoder.encode(text) : text;
  }
}
