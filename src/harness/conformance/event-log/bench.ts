// What a case of the event log has at hand: a host whose time stands still, logs of its own, and events to put into them.

import type { AgentEvent, EventBody, EventLog, EventLogOptions } from "../../../core/index.js";
import type { MemoryHost } from "../../doubles/host.js";

/** A host that the case alone moves, and new logs that take their time from it. */
export interface Bench {
  readonly host: MemoryHost;
  readonly open: (options?: EventLogOptions) => Promise<EventLog>;
}

/** The least event. */
export const start: EventBody = { type: "turn-start" };

/** A piece of an answer on its way. */
export const delta = (text: string): EventBody => ({ type: "llm-delta", kind: "text", text });

/** What the events are, in their order. */
export const types = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type);
