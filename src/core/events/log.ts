// The one log of a run: stamps events in one place, keeps them in order up to a limit, and passes them to a listener.

import type { Ports } from "../ports.js";
import { thrownText } from "../tools/thrown.js";
import type { AgentEvent, EventBody } from "./event.js";

/** Events kept of one run. Later ones still reach the listener; `dropped` says how many were not kept. */
export const MAX_KEPT_EVENTS = 200_000;

/** Contract: must not wait, and is never allowed to change a run: what it throws is said by `ports.warn` and dropped. */
export type EventListener = (event: AgentEvent) => void;

export interface EventLog {
  readonly events: readonly AgentEvent[];
  readonly dropped: number;
  append(agentId: string, turnIndex: number, body: EventBody): void;
}

export function createEventLog(ports: Ports, listener?: EventListener, limit: number = MAX_KEPT_EVENTS): EventLog {
  const events: AgentEvent[] = [];
  let seq = 0;

  return {
    events,
    get dropped() {
      return seq - events.length;
    },
    append(agentId, turnIndex, body) {
      const event: AgentEvent = { seq, at: ports.now(), agentId, turnIndex, ...body };
      if (event.type !== "llm-delta") {
        seq += 1;
        if (events.length < limit) events.push(event);
      }
      if (listener === undefined) return;
      try {
        listener(event);
      } catch (error) {
        ports.warn(`playhead: an event listener threw at ${event.type}: ${thrownText(error)}`);
      }
    },
  };
}
