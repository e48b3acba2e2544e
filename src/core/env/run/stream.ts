// A run as an iteration over its events. Unread pieces of an answer are joined, so that a slow reader needs little memory.

import type { EnvEvent } from "./event.js";

/** Starts a run that reports its events. `signal` fires when the reader leaves. */
export type StartRun = (tell: (event: EnvEvent) => void, signal: AbortSignal) => Promise<unknown>;

/** The run begins with the first `next()`. Leaving aborts it, and waits for its end. A failed run throws after its last event. */
export async function* streamRun(start: StartRun): AsyncGenerator<EnvEvent, void, undefined> {
  const held: EnvEvent[] = [];
  const left = new AbortController();
  let wake: () => void = () => undefined;
  let end: { error?: unknown } | undefined;
  const run = start((event) => {
    hold(held, event);
    wake();
  }, left.signal).then(
    () => void (end = {}),
    (error: unknown) => void (end = { error }),
  );
  void run.then(() => wake());
  try {
    for (;;) {
      const next = held.shift();
      if (next !== undefined) yield next;
      else if (end !== undefined) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    if ("error" in end) throw end.error;
  } finally {
    left.abort();
    await run;
  }
}

function hold(held: EnvEvent[], event: EnvEvent): void {
  const last = held.at(-1);
  if (last === undefined || !isDelta(last) || !isDelta(event) || last.type !== event.type || last.step !== event.step) {
    held.push(event);
    return;
  }
  held[held.length - 1] = Object.freeze({ ...last, text: last.text + event.text });
}

function isDelta(event: EnvEvent): event is Extract<EnvEvent, { text: string }> {
  return event.type === "text-delta" || event.type === "thinking-delta";
}
