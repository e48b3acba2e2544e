// The suite against the log that ships, and against logs that are broken on purpose: each must fail in exactly the cases that
// speak of its fault.

import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/core/events/event.js";
import { createEventLog, type EventLog, type EventLogOptions } from "../../../src/core/events/log.js";
import type { Ports } from "../../../src/core/ports.js";
import { createHlc } from "../../../src/core/time/hlc.js";
import { eventLogConformance, type MakeEventLog } from "../../../src/harness/conformance/event-log.js";

describe("the event log of a run", () => {
  for (const { name, run } of eventLogConformance(createEventLog)) it(name, run);

  it("conforms behind a wait, too", async () => {
    expect(await failuresOf(async (ports, options) => Promise.resolve(createEventLog(ports, options)))).toEqual([]);
  });
});

async function failuresOf(make: MakeEventLog): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of eventLogConformance(make)) {
    await run().catch((error: unknown) => {
      expect(error).toBeInstanceOf(Error);
      failed.push(name);
    });
  }
  return failed;
}

/** The right log with some of it replaced. */
const changed =
  (change: (log: EventLog, ports: Ports, options: EventLogOptions) => Partial<EventLog>): MakeEventLog =>
  (ports, options) => {
    const log = createEventLog(ports, options);
    const own = change(log, ports, options);
    return {
      runId: own.runId ?? log.runId,
      append: own.append ?? log.append,
      get events() {
        return own.events ?? log.events;
      },
      get dropped() {
        return own.dropped ?? log.dropped;
      },
    };
  };

/** Every event that is given is changed before it is kept. */
const keeping = (change: (event: AgentEvent) => Partial<AgentEvent>): MakeEventLog =>
  changed((log) => ({
    get events() {
      return log.events.map((event) => ({ ...event, ...change(event) }) as AgentEvent);
    },
  }));

const withOptions =
  (change: (options: EventLogOptions, ports: Ports) => EventLogOptions): MakeEventLog =>
  (ports, options) =>
    createEventLog(ports, change(options, ports));

const MANY = "keeps many events, none lost and none twice";

const BROKEN: readonly [string, MakeEventLog, string[]][] = [
  [
    "forgets the id of its run",
    withOptions(({ runId: _id, ...rest }) => rest),
    ["begins empty, with the run's id", "says of each event the run, the agent and the turn, and keeps its fields"],
  ],
  [
    "counts from 1",
    keeping(({ seq }) => ({ seq: seq + 1 })),
    [
      "keeps events in the order they came, counted from 0",
      "passes deltas on and keeps none, and they take no number",
      "keeps events up to its limit, counts the rest, and lets the listener hear all",
      "counts on when a listener appends in turn",
      MANY,
    ],
  ],
  [
    "keeps the newest first",
    changed((log) => ({
      get events() {
        return [...log.events].reverse();
      },
    })),
    [
      "keeps events in the order they came, counted from 0",
      "says of each event the run, the agent and the turn, and keeps its fields",
      "stamps each event with the time of the ports",
      "stamps events so that their hlc sorts as they happened, though the clock is set back",
      "passes deltas on and keeps none, and they take no number",
      "keeps events up to its limit, counts the rest, and lets the listener hear all",
      "counts on when a listener appends in turn",
      MANY,
    ],
  ],
  [
    "names one agent for all",
    keeping(() => ({ agentId: "a" })),
    ["says of each event the run, the agent and the turn, and keeps its fields"],
  ],
  [
    "goes by a clock of its own",
    (ports, options) => createEventLog({ ...ports, now: () => Date.now() }, options),
    ["stamps each event with the time of the ports"],
  ],
  [
    "stamps with the wall clock alone",
    (ports, options) => {
      const hlc = { ...createHlc(ports), tick: () => createHlc(ports, "00000000").tick() };
      return createEventLog(ports, { ...options, hlc });
    },
    ["stamps events so that their hlc sorts as they happened, though the clock is set back"],
  ],
  [
    "tells nobody",
    withOptions(({ listener: _listener, ...rest }) => rest),
    [
      "passes each event to the listener at once, in order",
      "passes deltas on and keeps none, and they take no number",
      "goes on when a listener throws, and warns",
      "takes what a listener rejects with, late, and warns of it",
      "keeps events up to its limit, counts the rest, and lets the listener hear all",
      "shows each kept event to the tap with what stands behind it, before the listener",
      "counts on when a listener appends in turn",
    ],
  ],
  [
    "keeps deltas",
    changed((log, ports) => {
      const all = createEventLog(ports);
      return {
        get events() {
          return all.events;
        },
        append(agentId, turn, body, detail) {
          log.append(agentId, turn, body, detail);
          all.append(agentId, turn, body.type === "llm-delta" ? { type: "turn-start" } : body);
        },
      };
    }),
    [
      "says of each event the run, the agent and the turn, and keeps its fields",
      "passes deltas on and keeps none, and they take no number",
      "keeps events up to its limit, counts the rest, and lets the listener hear all",
      "counts on when a listener appends in turn",
    ],
  ],
  [
    "hands out what it keeps, open",
    (ports, { listener, ...rest }) => {
      const log = createEventLog(ports, rest);
      const events: AgentEvent[] = [];
      return {
        ...{ runId: log.runId, events, dropped: 0 },
        append(agentId, turn, body, detail) {
          log.append(agentId, turn, body, detail);
          const event = { ...(log.events.at(-1) as AgentEvent) };
          if (body.type !== "llm-delta") events.push(event);
          try {
            listener?.(event);
          } catch {
            ports.warn("a listener threw");
          }
        },
      };
    },
    [
      "lets no listener change what is kept",
      "passes deltas on and keeps none, and they take no number",
      "takes what a listener rejects with, late, and warns of it",
      "keeps events up to its limit, counts the rest, and lets the listener hear all",
      "shows each kept event to the tap with what stands behind it, before the listener",
    ],
  ],
  [
    "lets a listener's error out",
    (ports, { listener, ...rest }) => {
      const errors: unknown[] = [];
      const guarded = (event: AgentEvent) => {
        try {
          return listener?.(event);
        } catch (error) {
          errors.push(error);
        }
      };
      const log = createEventLog(ports, { ...rest, listener: guarded });
      return {
        ...log,
        events: log.events,
        append(...terms) {
          log.append(...terms);
          if (errors.length > 0) throw errors.pop() as Error;
        },
        get dropped() {
          return log.dropped;
        },
      };
    },
    ["goes on when a listener throws, and warns"],
  ],
  [
    "leaves a listener's promise alone",
    withOptions(({ listener, ...rest }) => ({
      ...rest,
      ...(listener === undefined ? {} : { listener: (event: AgentEvent) => void listener(event) }),
    })),
    ["takes what a listener rejects with, late, and warns of it"],
  ],
  [
    "has no limit",
    withOptions(({ limit: _limit, ...rest }) => rest),
    ["keeps events up to its limit, counts the rest, and lets the listener hear all"],
  ],
  [
    "stops telling at its limit",
    (ports, { listener, ...rest }) => {
      const log: EventLog = createEventLog(ports, {
        ...rest,
        listener: (event) => (event.seq < (rest.limit ?? Infinity) ? listener?.(event) : undefined),
      });
      return log;
    },
    ["keeps events up to its limit, counts the rest, and lets the listener hear all"],
  ],
  [
    "has no tap",
    withOptions(({ tap: _tap, ...rest }) => rest),
    ["shows each kept event to the tap with what stands behind it, before the listener"],
  ],
  [
    "counts before it keeps",
    (ports, { listener, ...rest }) => {
      const waiting: AgentEvent[] = [];
      const log = createEventLog(ports, { ...rest, listener: (event) => listener?.(event) });
      return {
        runId: log.runId,
        get dropped() {
          return log.dropped;
        },
        get events() {
          return [
            ...log.events.filter(({ agentId }) => agentId !== "b"),
            ...log.events.filter(({ agentId }) => agentId === "b"),
            ...waiting,
          ];
        },
        append: log.append,
      };
    },
    ["counts on when a listener appends in turn"],
  ],
  [
    "loses one of a thousand",
    changed((log) => ({
      get events() {
        return log.events.filter((_, index) => index % 1_000 !== 999);
      },
    })),
    [MANY],
  ],
];

describe("a log that is broken", () => {
  it.each(BROKEN)("that %s fails in the cases that say so, and in no other", async (_fault, make, expected) => {
    expect((await failuresOf(make)).sort()).toEqual([...expected].sort());
  });

  it("is there for every case", () => {
    const names = eventLogConformance(createEventLog).map(({ name }) => name);
    expect([...new Set(BROKEN.flatMap(([, , cases]) => cases))].sort()).toEqual(names.sort());
  });
});
