// The contract of a run's event log as cases for any test runner. It does not check whether a log outlives its process.

import type { EventLog, EventLogOptions, Ports } from "../../../core/index.js";
import { fail } from "../../contract/clause.js";
import { memoryHost } from "../../doubles/host.js";
import { readPatience, suiteFactory, toCases, type ConformanceCase, type ConformanceOptions } from "../case.js";
import { keepingClauses, type Bench } from "./keeping.js";
import { listenerClauses } from "./listeners.js";

/** Opens a new, empty log. The log takes its time only from `ports`. */
export type MakeEventLog = (ports: Ports, options: EventLogOptions) => EventLog | Promise<EventLog>;

const OWNER = "eventLogConformance";

/**
 * Creates the cases for the log that `make` returns. The names of the cases are not stable, and later versions may add cases. Throws
 * `AgentError` `invalid-options` for a value that is not a function that makes logs, and for an unknown option.
 */
export function eventLogConformance(make: MakeEventLog, options: ConformanceOptions = {}): ConformanceCase[] {
  const patienceMs = readPatience(OWNER, options);
  const kind = { suite: OWNER, kind: "event log", methods: ["append"], patienceMs, made: new WeakSet() };
  const opened = suiteFactory(kind, "make", make);
  const bench = (): Bench => {
    const host = memoryHost();
    const open = async (terms: EventLogOptions = {}): Promise<EventLog> => {
      const log = await opened(host.ports, terms);
      if (!Array.isArray(log.events)) fail("events of the log", log.events, "a list");
      return log;
    };
    return { host, open };
  };
  return toCases([...keepingClauses, ...listenerClauses], bench, patienceMs);
}
