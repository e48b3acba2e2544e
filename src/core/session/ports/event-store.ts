// The events of runs, for later readers. See `SessionStore` for the contract of every port.

import type { SessionEvent } from "../event.js";

/** A place in the log of a run: the number of events before it. */
export interface EventCursor {
  readonly offset: number;
}

/** One stored event of a run. */
export interface StoredSessionEvent {
  /** The place after this event. Pass it to continue reading. */
  readonly cursor: EventCursor;
  readonly runId: string;
  readonly event: SessionEvent;
}

/** The event logs of runs. Offsets count from 0 across all processes. */
export interface EventStore {
  /** The stored events after `cursor`, in order, without repeats or gaps. */
  read(runId: string, cursor?: EventCursor): AsyncIterable<StoredSessionEvent>;
  /** Appends at `firstOffset`. Appending the same events at the same offsets again changes nothing. */
  append(
    runId: string,
    events: readonly SessionEvent[],
    options: { readonly firstOffset: number; readonly leaseId?: string },
  ): Promise<
    | { readonly ok: true; readonly cursor: EventCursor }
    | { readonly ok: false; readonly reason: "gap" | "lost-lease"; readonly cursor: EventCursor }
  >;
}
