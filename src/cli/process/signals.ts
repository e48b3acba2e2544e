// The signals that end an agent: the first one after its message, the second one at once.

import { constants } from "node:os";
import { PlumbError } from "../../core/process/index.js";

export interface Signals {
  /** Fires to end at once. */
  readonly signal: AbortSignal;
  /** Fires to end after the message in progress. */
  readonly stop: AbortSignal;
  /** 128 plus the number of the signal, as a shell reports it. Undefined until a second signal ends the agent. */
  readonly exitCode: number | undefined;
  abort(reason: unknown): void;
}

export function takeSignals(): Signals {
  const ends = new AbortController();
  const stops = new AbortController();
  let exitCode: number | undefined;
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (stops.signal.aborted) {
        exitCode = 128 + constants.signals[name];
        ends.abort(new PlumbError("aborted", `${name} ended the agent`, "Its last message was not answered."));
      } else stops.abort();
    });
  }
  return {
    signal: ends.signal,
    stop: stops.signal,
    get exitCode() {
      return exitCode;
    },
    abort: (reason) => ends.abort(reason),
  };
}
