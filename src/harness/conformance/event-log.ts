// The contract of the event log of a run as cases for any test runner, so that a log of one's own (one that writes to a disk, or
// to another process) can be held to it:
//
//   for (const { name, run } of eventLogConformance(createEventLog)) test(name, run);
//
// What it does not see: whether a log outlives its process.

import {
  parseHlc,
  type AgentEvent,
  type EventBody,
  type EventLog,
  type EventLogOptions,
  type Ports,
} from "../../core/index.js";
import { memoryHost, type MemoryHost } from "../doubles/host.js";
import { assertSame, fail, type ConformanceCase } from "./verdict.js";

/** Opens a new and empty log. It takes its time from `ports` alone. */
export type MakeEventLog = (ports: Ports, options: EventLogOptions) => EventLog | Promise<EventLog>;

/** The cases for the log that `make` gives. The names of the cases are part of no promise, and later versions may add some. */
export function eventLogConformance(make: MakeEventLog): ConformanceCase[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    run: () => {
      const host = memoryHost();
      return check({ host, open: async (options = {}) => make(host.ports, options) });
    },
  }));
}

interface Bench {
  readonly host: MemoryHost;
  readonly open: (options?: EventLogOptions) => Promise<EventLog>;
}

const start: EventBody = { type: "turn-start" };
const delta = (text: string): EventBody => ({ type: "llm-delta", kind: "text", text });
const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

const checks: Record<string, (bench: Bench) => Promise<void>> = {
  async "begins empty, with the run's id"({ open }) {
    const log = await open({ runId: "ab".repeat(16) });
    assertSame("events", log.events, []);
    assertSame("dropped", log.dropped, 0);
    assertSame("runId", log.runId, "ab".repeat(16));
    assertSame("runId that was not given", (await open()).runId, "");
  },

  async "keeps events in the order they came, counted from 0"({ open }) {
    const log = await open();
    for (let turn = 0; turn < 5; turn++) log.append("a", turn, start);
    assertSame(
      "seq",
      log.events.map(({ seq }) => seq),
      [0, 1, 2, 3, 4],
    );
    assertSame(
      "turnIndex",
      log.events.map(({ turnIndex }) => turnIndex),
      [0, 1, 2, 3, 4],
    );
  },

  async "says of each event the run, the agent and the turn, and keeps its fields"({ open }) {
    const log = await open({ runId: "cd".repeat(16) });
    log.append("ann", -1, { type: "run-start", goal: "go" });
    log.append("bob", 3, { type: "tool-result", callId: "c1", tool: "look", content: "rain", cut: 2 });
    const told = log.events.map(({ seq: _seq, at: _at, hlc: _hlc, ...rest }) => rest);
    assertSame("events", told, [
      { type: "run-start", goal: "go", runId: "cd".repeat(16), agentId: "ann", turnIndex: -1 },
      {
        ...{ type: "tool-result", callId: "c1", tool: "look", content: "rain", cut: 2 },
        ...{ runId: "cd".repeat(16), agentId: "bob", turnIndex: 3 },
      },
    ]);
  },

  async "stamps each event with the time of the ports"({ host, open }) {
    const log = await open();
    log.append("a", 0, start);
    await host.clock.advance(250);
    log.append("a", 1, start);
    const first = host.clock.now() - 250;
    assertSame(
      "at",
      log.events.map(({ at }) => at),
      [first, first + 250],
    );
  },

  async "stamps events so that their hlc sorts as they happened, though the clock is set back"({ host, open }) {
    const log = await open();
    for (const step of [0, 10, -5_000, 0, 1]) {
      host.clock.set(host.clock.now() + step);
      for (let count = 0; count < 3; count++) log.append("a", 0, start);
    }
    const stamps = log.events.map(({ hlc }) => hlc);
    for (const stamp of stamps) if (!isHlc(stamp)) fail("an hlc", stamp, "a hybrid logical clock's text");
    assertSame("the stamps, sorted and each once", [...new Set(stamps)].sort(), stamps);
  },

  async "passes each event to the listener at once, in order"({ open }) {
    const heard: string[] = [];
    const log = await open({ listener: ({ seq, type }) => void heard.push(`${seq} ${type}`) });
    log.append("a", -1, { type: "run-start", goal: "go" });
    assertSame("what was heard after the first", heard, ["0 run-start"]);
    log.append("a", 0, start);
    assertSame("what was heard", heard, ["0 run-start", "1 turn-start"]);
  },

  async "passes deltas on and keeps none, and they take no number"({ open }) {
    const heard: [number, string][] = [];
    const log = await open({ listener: ({ seq, type }) => void heard.push([seq, type]) });
    log.append("a", 0, start);
    log.append("a", 0, delta("x"));
    log.append("a", 0, delta("y"));
    log.append("a", 1, start);
    assertSame(
      "kept",
      log.events.map(({ seq, type }) => [seq, type]),
      [
        [0, "turn-start"],
        [1, "turn-start"],
      ],
    );
    assertSame("heard", heard, [
      [0, "turn-start"],
      [1, "llm-delta"],
      [1, "llm-delta"],
      [1, "turn-start"],
    ]);
    assertSame("dropped", log.dropped, 0);
  },

  async "lets no listener change what is kept"({ open }) {
    const log = await open({
      listener(event) {
        Reflect.set(event, "agentId", "somebody else");
        if (event.type === "tool-call") Reflect.set(event.arguments, "city", "Rome");
      },
    });
    log.append("a", 0, { type: "tool-call", callId: "c", tool: "t", arguments: { city: "Oslo" } });
    assertSame("the agent", log.events[0]?.agentId, "a");
    assertSame("the event", log.events[0]?.type === "tool-call" && log.events[0].arguments, { city: "Oslo" });
  },

  async "goes on when a listener throws, and warns"({ host, open }) {
    const log = await open({
      listener() {
        throw new Error("a listener's own fault");
      },
    });
    try {
      log.append("a", 0, start);
      log.append("a", 1, start);
    } catch (error) {
      fail("append", error instanceof Error ? error.message : error, "no error");
    }
    assertSame("how many are kept", log.events.length, 2);
    assertSame("how many warnings there are", host.warnings.length, 2);
  },

  async "takes what a listener rejects with, late, and warns of it"({ host, open }) {
    // A thenable, so that a log which leaves it alone leaves no rejection that would end the process.
    const late = { then: (_fulfil: unknown, reject?: (error: Error) => void) => reject?.(new Error("late")) };
    const log = await open({ listener: () => late as unknown as undefined });
    log.append("a", 0, start);
    await host.clock.advance(0);
    assertSame("how many are kept", log.events.length, 1);
    assertSame("how many warnings there are", host.warnings.length, 1);
  },

  async "keeps events up to its limit, counts the rest, and lets the listener hear all"({ open }) {
    let heard = 0;
    const log = await open({ limit: 2, listener: () => void (heard += 1) });
    for (let turn = 0; turn < 5; turn++) log.append("a", turn, start);
    assertSame(
      "kept",
      log.events.map(({ seq }) => seq),
      [0, 1],
    );
    assertSame("dropped", log.dropped, 3);
    assertSame("how many were heard", heard, 5);
  },

  async "shows each kept event to the tap with what stands behind it, before the listener"({ open }) {
    const order: string[] = [];
    const response = { message: { role: "assistant", content: "hi" }, stopReason: "stop" } as const;
    const log = await open({
      tap: (event, detail) => void order.push(`tap ${event.type} ${detail?.kind ?? "nothing"}`),
      listener: ({ type }) => void order.push(`listener ${type}`),
    });
    log.append("a", 0, delta("h"));
    log.append("a", 0, { type: "llm-turn", stopReason: "stop", toolCalls: 0 }, { kind: "turn", response });
    log.append("a", 1, start);
    assertSame("the order", order, [
      ...["listener llm-delta", "tap llm-turn turn", "listener llm-turn"],
      ...["tap turn-start nothing", "listener turn-start"],
    ]);
  },

  async "counts on when a listener appends in turn"({ open }) {
    const opened: EventLog[] = [];
    const listener = ({ type }: AgentEvent) => {
      if (type === "run-start") opened[0]?.append("b", 0, start);
    };
    const log = await open({ listener });
    opened.push(log);
    log.append("a", -1, { type: "run-start", goal: "go" });
    log.append("a", 1, { type: "run-end", stop: "finished" });
    assertSame("kept", types(log.events), ["run-start", "turn-start", "run-end"]);
    assertSame(
      "seq",
      log.events.map(({ seq }) => seq),
      [0, 1, 2],
    );
  },

  async "keeps many events, none lost and none twice"({ open }) {
    const log = await open();
    for (let turn = 0; turn < MANY; turn++) log.append("a", turn, start);
    assertSame("how many are kept", log.events.length, MANY);
    for (const [index, { seq, turnIndex }] of log.events.entries()) {
      if (seq !== index || turnIndex !== index)
        fail(`event ${index}`, { seq, turnIndex }, { seq: index, turnIndex: index });
    }
  },
};

const MANY = 5_000;

function isHlc(stamp: unknown): boolean {
  try {
    return typeof stamp === "string" && parseHlc(stamp) !== undefined;
  } catch {
    return false;
  }
}
