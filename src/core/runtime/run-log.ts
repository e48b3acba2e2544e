// The log of a run whose events a face projects: only for a listener and for receipts.

import { defined } from "../defined.js";
import { createEventLog, type EventListener, type EventLog } from "../events/log.js";
import type { Ports } from "../ports.js";
import type { Hlc } from "../time/hlc.js";
import type { RuntimeReceipts } from "./receipts.js";

export type RunLog = Pick<EventLog, "runId" | "append">;

/** A run that nobody listens to has no log. Nobody reads the events of a log afterwards, so it keeps none. */
export function openRunLog(
  {
    listener,
    hlc,
    receipts,
    ports,
  }: {
    readonly listener: EventListener | undefined;
    readonly hlc: Hlc;
    readonly receipts: RuntimeReceipts;
    readonly ports: Ports;
  },
  runId: string,
): RunLog {
  if (listener === undefined && receipts.tap.tap === undefined) return { runId, append: () => undefined };
  return createEventLog(ports, { runId, hlc, ...receipts.tap, ...defined({ listener }), limit: 0 });
}
