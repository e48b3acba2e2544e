// The equipment of a case of the event log: a host whose time stands still, new logs, and events to put into them.

import type { EventBody, EventLog, EventLogOptions } from "../../../core/index.js";
import { assertSame } from "../../contract/clause.js";
import type { MemoryHost } from "../../doubles/host.js";

/** A host whose clock only the case moves, and new logs that take their time from it. */
export interface Bench {
  readonly host: MemoryHost;
  readonly open: (options?: EventLogOptions) => Promise<EventLog>;
}

/** The smallest event. */
export const start: EventBody = { type: "turn-start" };

/** A piece of an answer that is being streamed. */
export const delta = (text: string): EventBody => ({ type: "llm-delta", kind: "text", text });

/** Fails unless the kept events have these values in one field, in order. */
export function assertKept(
  field: "seq" | "at" | "turnIndex" | "type",
  log: EventLog,
  expected: unknown[],
  where = "",
): void {
  const kept = log.events.map((event) => event[field]);
  assertSame(`${field} of the kept events${where}`, kept, expected);
}
