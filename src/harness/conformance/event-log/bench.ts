// The equipment of a case of the event log: a host whose time stands still, new logs, and events to put into them.

import type { AgentEvent, EventBody, EventLog, EventLogOptions } from "../../../core/index.js";
import { assertSame } from "../../contract/clause.js";
import type { MemoryHost } from "../../doubles/host.js";

export interface Bench {
  readonly host: MemoryHost;
  readonly open: (options?: EventLogOptions) => Promise<EventLog>;
}

export const start: EventBody = { type: "turn-start" };

export const delta = (text: string): EventBody => ({ type: "llm-delta", kind: "text", text });

export function assertKept(field: keyof AgentEvent, log: EventLog, expected: unknown[], where = ""): void {
  const kept = log.events.map((event) => event[field]);
  assertSame(`${field} of the kept events${where}`, kept, expected);
}
