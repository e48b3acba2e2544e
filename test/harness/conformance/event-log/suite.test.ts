// The suite against the log that ships, and against logs that are broken on purpose: each must fail in exactly the cases that
// speak of its fault.

import { describe, expect, it } from "vitest";
import type { AgentEvent, EventBody, EventDetail } from "../../../../src/core/events/event.js";
import { createEventLog, type EventLog, type EventLogOptions } from "../../../../src/core/events/log.js";
import type { Ports } from "../../../../src/core/ports.js";
import { createHlc, type Hlc } from "../../../../src/core/time/hlc.js";
import { eventLogConformance, type MakeEventLog } from "../../../../src/harness/conformance/event-log/suite.js";

describe("the event log of a run", () => {
  for (const { name, run } of eventLogConformance(createEventLog)) it(name, run);

  it("conforms in another style: a class, a list of texts, times from a counter", async () => {
    expect(await failuresOf((ports, options) => new Texts(ports, options))).toEqual([]);
  });

  it("conforms behind a wait, too", async () => {
    expect(await failuresOf(async (ports, options) => Promise.resolve(createEventLog(ports, options)))).toEqual([]);
  });
});

/** Right, and written as nothing here is: keeps each event as text. */
class Texts implements EventLog {
  readonly runId: string;
  dropped = 0;
  readonly #texts: string[] = [];
  readonly #ports: Ports;
  readonly #options: EventLogOptions;
  readonly #hlc: Hlc;
  #next = 0;

  constructor(ports: Ports, options: EventLogOptions) {
    this.runId = options.runId ?? "";
    this.#ports = ports;
    this.#options = options;
    this.#hlc = options.hlc ?? createHlc(ports);
  }

  get events(): AgentEvent[] {
    return this.#texts.map((text) => JSON.parse(text) as AgentEvent);
  }

  append(agentId: string, turnIndex: number, body: EventBody, detail?: EventDetail): void {
    const at = this.#ports.now();
    const seq = this.#next;
    const text = JSON.stringify({ ...body, turnIndex, agentId, runId: this.runId, hlc: this.#hlc.tick(at), at, seq });
    if (body.type !== "llm-delta") {
      this.#next += 1;
      if (this.#texts.length < (this.#options.limit ?? Infinity)) this.#texts.push(text);
      else this.dropped += 1;
      this.#options.tap?.(JSON.parse(text) as AgentEvent, detail);
    }
    void this.#tell(Object.freeze(JSON.parse(text)) as AgentEvent);
  }

  async #tell(event: AgentEvent): Promise<void> {
    try {
      await this.#options.listener?.(event);
    } catch (error) {
      this.#ports.warn(String(error));
    }
  }
}

async function failuresOf(make: MakeEventLog): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of eventLogConformance(make)) {
    await run().catch((error: unknown) => {
      expect(error).toBeInstanceOf(Error);
      // What went wrong, and then what to do: two sentences at least.
      expect((error as Error).message).toMatch(/^(.+: expected .*, got |it threw ).*\. [A-Z].*\.$/s);
      expect(Object.keys(error as Error)).toEqual(expect.arrayContaining(["expected", "actual"]));
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

const TEXT = "keeps texts unchanged, with any characters";
const CLOCK = "stamps with the clock it is given";
const READ = "gives the same events on every read";
const NO_DELTA = "does not count deltas as dropped";
const HALF = "passes on both halves of a character split between deltas";
const SHOWN = "keeps an event before the listener sees it";
const MANY = "keeps many events without losing or repeating any";

const BROKEN: readonly [string, MakeEventLog, string[]][] = [
  [
    "forgets the id of its run",
    withOptions(({ runId: _id, ...rest }) => rest),
    ["begins empty, with the run's id", "adds the run, agent and turn to each event, and keeps its fields"],
  ],
  [
    "counts from 1",
    keeping(({ seq }) => ({ seq: seq + 1 })),
    [
      "keeps events in order, numbered from 0",
      "passes deltas on without keeping or numbering them",
      "keeps events up to its limit, counts the rest, and passes all to the listener",
      "keeps counting when a listener appends",
      MANY,
      TEXT,
      CLOCK,
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
      "keeps events in order, numbered from 0",
      "adds the run, agent and turn to each event, and keeps its fields",
      "stamps each event with the time of the ports",
      "stamps events with an hlc that sorts in order, even if the clock is set back",
      "passes deltas on without keeping or numbering them",
      "keeps events up to its limit, counts the rest, and passes all to the listener",
      "keeps counting when a listener appends",
      MANY,
    ],
  ],
  [
    "names one agent for all",
    keeping(() => ({ agentId: "a" })),
    [TEXT, "adds the run, agent and turn to each event, and keeps its fields"],
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
    [CLOCK, "stamps events with an hlc that sorts in order, even if the clock is set back"],
  ],
  [
    "tells nobody",
    withOptions(({ listener: _listener, ...rest }) => rest),
    [
      "passes each event to the listener at once, in order",
      "passes deltas on without keeping or numbering them",
      "goes on when a listener throws, and warns",
      "handles a late rejection of a listener, and warns",
      "keeps events up to its limit, counts the rest, and passes all to the listener",
      "passes each kept event and its detail to the tap, before the listener",
      "keeps counting when a listener appends",
      HALF,
      SHOWN,
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
      "adds the run, agent and turn to each event, and keeps its fields",
      "passes deltas on without keeping or numbering them",
      "keeps events up to its limit, counts the rest, and passes all to the listener",
      "keeps counting when a listener appends",
      NO_DELTA,
      READ,
      SHOWN,
      CLOCK,
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
      "does not let a listener change kept events",
      "passes deltas on without keeping or numbering them",
      "handles a late rejection of a listener, and warns",
      "keeps events up to its limit, counts the rest, and passes all to the listener",
      "passes each kept event and its detail to the tap, before the listener",
      NO_DELTA,
      HALF,
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
    ["handles a late rejection of a listener, and warns"],
  ],
  [
    "has no limit",
    withOptions(({ limit: _limit, ...rest }) => rest),
    ["keeps events up to its limit, counts the rest, and passes all to the listener", NO_DELTA],
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
    ["keeps events up to its limit, counts the rest, and passes all to the listener"],
  ],
  [
    "has no tap",
    withOptions(({ tap: _tap, ...rest }) => rest),
    ["passes each kept event and its detail to the tap, before the listener"],
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
    ["keeps counting when a listener appends"],
  ],
  [
    "keeps texts in one normal form",
    keeping((event) => ("message" in event ? { message: event.message.normalize() } : {})),
    [TEXT],
  ],
  ["keeps texts without the spaces around them", keeping(({ agentId }) => ({ agentId: agentId.trim() })), [TEXT]],
  ["ends texts at a NUL", keeping(({ agentId }) => ({ agentId: agentId.split("\0")[0] ?? "" })), [TEXT]],
  ["has a clock of its own for every log", withOptions(({ hlc: _hlc, ...rest }) => rest), [CLOCK]],
  [
    "stamps events when they are read",
    (ports, options) => {
      const log = createEventLog(ports, options);
      const hlc = options.hlc ?? createHlc(ports);
      return {
        runId: log.runId,
        get dropped() {
          return log.dropped;
        },
        get events() {
          return log.events.map((event) => ({ ...event, hlc: hlc.tick(event.at) }));
        },
        append: log.append,
      };
    },
    [READ],
  ],
  [
    "forgets what was read",
    changed((log) => {
      let read = 0;
      return {
        get events() {
          const events = log.events.slice(read);
          read = log.events.length;
          return events;
        },
      };
    }),
    [
      "keeps counting when a listener appends",
      "keeps events in order, numbered from 0",
      "does not let a listener change kept events",
      READ,
      SHOWN,
      TEXT,
    ],
  ],
  [
    "counts deltas as dropped",
    changed((log) => {
      let deltas = 0;
      return {
        append(...terms) {
          if (terms[2].type === "llm-delta") deltas += 1;
          log.append(...terms);
        },
        get dropped() {
          return log.dropped + deltas;
        },
      };
    }),
    [NO_DELTA, "passes deltas on without keeping or numbering them"],
  ],
  [
    "counts deltas as dropped once it is full",
    changed((log, _ports, { limit = Infinity }) => {
      let deltas = 0;
      return {
        append(...terms) {
          if (terms[2].type === "llm-delta" && log.events.length >= limit) deltas += 1;
          log.append(...terms);
        },
        get dropped() {
          return log.dropped + deltas;
        },
      };
    }),
    [NO_DELTA],
  ],
  [
    "mends the texts of deltas",
    withOptions(({ listener, ...rest }) => ({
      ...rest,
      ...(listener === undefined
        ? {}
        : {
            listener: (event: AgentEvent) =>
              listener(
                event.type === "llm-delta" ? Object.freeze({ ...event, text: event.text.toWellFormed() }) : event,
              ),
          }),
    })),
    [HALF],
  ],
  [
    "keeps the last events and not the first",
    (ports, { limit = Infinity, ...rest }) => {
      const log = createEventLog(ports, rest);
      return {
        runId: log.runId,
        append: log.append,
        get events() {
          return limit === 0 ? [] : log.events.slice(-limit);
        },
        get dropped() {
          return Math.max(0, log.events.length - limit);
        },
      };
    },
    ["keeps events up to its limit, counts the rest, and passes all to the listener"],
  ],
  [
    "takes a limit of 0 for none",
    withOptions(({ limit, ...rest }) => ({ ...rest, ...(limit === undefined || limit === 0 ? {} : { limit }) })),
    ["keeps events up to its limit, counts the rest, and passes all to the listener"],
  ],
  [
    "tells of an event before it keeps it",
    (ports, { listener, ...rest }) => {
      const log: EventLog = createEventLog(ports, {
        ...rest,
        ...(listener === undefined ? {} : { listener: (event: AgentEvent) => listener(event) }),
      });
      let isTelling = 0;
      return {
        runId: log.runId,
        get dropped() {
          return log.dropped;
        },
        get events() {
          return isTelling > 0 ? log.events.slice(0, -1) : log.events;
        },
        append(...terms) {
          isTelling += 1;
          log.append(...terms);
          isTelling -= 1;
        },
      };
    },
    [SHOWN],
  ],
  [
    "reports an event that is open, in addition to the one it keeps",
    withOptions(({ listener, ...rest }) => ({
      ...rest,
      ...(listener === undefined ? {} : { listener: (event: AgentEvent) => listener(structuredClone(event)) }),
    })),
    ["does not let a listener change kept events"],
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
