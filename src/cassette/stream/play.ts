// Streams a recorded answer whole, in its recorded pieces, or in those pieces at their recorded times. All end with the same response.

import { showValue, sleep, type LlmStreamEvent, type LlmTurnResponse, type Ports } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { StreamPlan } from "./texts.js";

/**
 * How a replay streams. `whole`: the text in one piece. `chunked`: the recorded deltas, without waiting. `timed`: the recorded deltas with
 * the recorded waits. A turn whose pieces were not recorded is streamed whole.
 */
export type Streaming = "whole" | "chunked" | "timed";

/** Options for the streams of a replay. Turns whose pieces were not recorded are streamed whole. */
export interface StreamingOptions {
  /** Default `chunked`. */
  readonly streaming?: Streaming;
  /** The speed of `timed` as a factor: 2 is twice as fast as recorded. Default 1. */
  readonly speed?: number;
  /** The longest wait of `timed` before one delta, in recorded milliseconds. Default 10,000. */
  readonly maxGapMs?: number;
}

/** The names of {@link StreamingOptions}, for options that include them. */
export const STREAMING_OPTIONS = ["streaming", "speed", "maxGapMs"] as const;

export interface Pace {
  readonly speed: number;
  readonly maxGapMs: number;
  readonly ports: Pick<Ports, "now" | "timer">;
}

/** Checks {@link StreamingOptions}. Throws `CassetteError` `invalid-options`. */
export function assertStreaming(owner: string, { streaming, speed, maxGapMs }: StreamingOptions): void {
  if (streaming !== undefined && !["whole", "chunked", "timed"].includes(streaming)) {
    throw invalid(`streaming of ${owner} is ${showValue(streaming)}`, "Use one of whole, chunked, timed.");
  }
  if (speed !== undefined && !(Number.isFinite(speed) && speed > 0)) {
    throw invalid(`speed of ${owner} is ${showValue(speed)}`, "Pass a number above 0: 2 is twice as fast.");
  }
  if (maxGapMs !== undefined && !(Number.isFinite(maxGapMs) && maxGapMs >= 0)) {
    throw invalid(`maxGapMs of ${owner} is ${showValue(maxGapMs)}`, "Pass a number of milliseconds, 0 or more.");
  }
}

function invalid(summary: string, hint: string): CassetteError {
  return new CassetteError("invalid-options", summary, { hint });
}

/** Begins with the first event that is asked for. Not a method of the provider: V8 would keep it, as it does an accessor. */
export async function* streamLater<T>(begin: () => AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield* begin();
}

/** Yields the text in one piece, then the response. */
export function* wholeStream(response: LlmTurnResponse): Generator<LlmStreamEvent> {
  const { content } = response.message;
  if (content !== "") yield { type: "text-delta", text: content };
  yield { type: "response", response };
}

/** Yields the recorded deltas, then the response. Without a pace it does not wait. Rejects with the signal's reason. */
export async function* playStream(
  plan: StreamPlan,
  response: LlmTurnResponse,
  pace: Pace | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  const wait = pace === undefined ? () => undefined : createWait(pace, signal);
  for (const { delta, gapMs } of plan.deltas) {
    await wait(gapMs);
    signal?.throwIfAborted();
    yield delta;
  }
  await wait(plan.endMs);
  signal?.throwIfAborted();
  yield { type: "response", response };
}

/** Waits for one gap after another (recorded ms). The reader's own time counts. No wait exceeds its gap. `signal` rejects it. */
export function createWait({ speed, maxGapMs, ports }: Pace, signal?: AbortSignal): (gapMs: number) => Promise<void> {
  const start = ports.now();
  let due = 0;
  return async (gapMs) => {
    const gap = Math.min(gapMs, maxGapMs) / speed;
    due += gap;
    const ms = Math.min(gap, due - (ports.now() - start));
    if (ms <= 0) return;
    try {
      await sleep(ms, ports, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  };
}
