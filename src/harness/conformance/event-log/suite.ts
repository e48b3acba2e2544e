// The contract of the event log of a run as cases for any test runner, so that a log of one's own (one that writes to a disk, or
// to another process) can be held to it:
//
//   for (const { name, run } of eventLogConformance(createEventLog)) test(name, run);
//
// What it does not see: whether a log outlives its process.

import type { EventLog, EventLogOptions, Ports } from "../../../core/index.js";
import { assertOptionsObject, assertWait } from "../../contract/given.js";
import { memoryHost } from "../../doubles/host.js";
import { EVENT_LOG_ADVICE } from "./advice.js";
import type { EventLogCheck } from "./bench.js";
import { keepingCases } from "./keeping.js";
import { listenerCases } from "./listeners.js";
import { assertFactory, checkedFactory, DEFAULT_PATIENCE_MS } from "../subject.js";
import { advised, fail, type ConformanceCase } from "../case.js";

/** Opens a new and empty log. It takes its time from `ports` alone. */
export type MakeEventLog = (ports: Ports, options: EventLogOptions) => EventLog | Promise<EventLog>;

/** The options of `eventLogConformance`. */
export interface EventLogConformanceOptions {
  /** Milliseconds that the opening of a log may take. Default 4,000. */
  readonly patienceMs?: number;
}

const OWNER = "eventLogConformance";
const METHODS = ["append"];

const cases = { ...keepingCases, ...listenerCases };

/**
 * The cases for the log that `make` gives. The names of the cases are part of no promise, and later versions may add some. Throws
 * `AgentError` `invalid-options` for what is no function that makes one, and for an option that is none.
 */
export function eventLogConformance(make: MakeEventLog, options: EventLogConformanceOptions = {}): ConformanceCase[] {
  assertOptionsObject(OWNER, options, ["patienceMs"]);
  const { patienceMs = DEFAULT_PATIENCE_MS } = options;
  assertWait(OWNER, "patienceMs", patienceMs);
  const owner = `make of ${OWNER}`;
  assertFactory(owner, make, "event log", METHODS);
  const made = new WeakSet<object>();
  const open = checkedFactory({ owner, kind: "event log", methods: METHODS, patienceMs, made }, make);
  return (Object.entries(cases) as [keyof typeof cases, EventLogCheck][]).map(([name, check]) => ({
    name,
    run: () => {
      const host = memoryHost();
      return advised(EVENT_LOG_ADVICE[name], () =>
        check({
          host,
          open: async (terms = {}) => {
            const log = await open(host.ports, terms);
            if (!Array.isArray(log.events)) fail("what events of the log is", log.events, "a list");
            return log;
          },
        }),
      );
    },
  }));
}
