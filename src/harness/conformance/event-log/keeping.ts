// Cases about the events that a log keeps, their order and their stamps.

import {
  createHlc,
  defined,
  parseHlc,
  type AgentEvent,
  type EventBody,
  type EventLog,
  type EventLogOptions,
} from "../../../core/index.js";
import { assertSame, fail, toClauses, type Clause } from "../../contract/clause.js";
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

export const keepingClauses: readonly Clause<Bench>[] = toClauses({
  "begins empty, with the run's id": {
    advice: 'Return the runId of the options, or "", and start without events.',
    async check({ open }) {
      const log = await open({ runId: "ab".repeat(16) });
      assertSame("events", log.events, []);
      assertSame("dropped", log.dropped, 0);
      assertSame("runId", log.runId, "ab".repeat(16));
      assertSame("runId that was not given", (await open()).runId, "");
    },
  },
  "keeps events in order, numbered from 0": {
    advice: "Number kept events with seq 0, 1, 2, in the order of append calls.",
    async check({ open }) {
      const log = await open();
      for (let turn = 0; turn < 5; turn++) log.append("a", turn, start);
      assertKept("seq", log, [0, 1, 2, 3, 4]);
      assertKept("turnIndex", log, [0, 1, 2, 3, 4]);
    },
  },
  "adds the run, agent and turn to each event, and keeps its fields": {
    advice: "Add runId, agentId and turnIndex to the body, and change nothing else.",
    async check({ open }) {
      const log = await open({ runId: "cd".repeat(16) });
      log.append("ann", -1, { type: "run-start", goal: "go" });
      log.append("bob", 3, { type: "tool-result", callId: "c1", tool: "look", content: "rain", cut: 2 });
      const kept = log.events.map(({ seq: _seq, at: _at, hlc: _hlc, ...rest }) => rest);
      assertSame("events", kept, [
        { type: "run-start", goal: "go", runId: "cd".repeat(16), agentId: "ann", turnIndex: -1 },
        {
          ...{ type: "tool-result", callId: "c1", tool: "look", content: "rain", cut: 2 },
          ...{ runId: "cd".repeat(16), agentId: "bob", turnIndex: 3 },
        },
      ]);
    },
  },
  "keeps texts unchanged, with any characters": {
    advice: "Keep texts by their code units, without normalization or trimming.",
    async check({ open }) {
      const log = await open();
      for (const text of TEXTS) log.append(text, 0, { type: "tool-failed", callId: text, tool: text, message: text });
      for (const [index, text] of TEXTS.entries()) {
        const event = numbered(log, index);
        const kept = event?.type === "tool-failed" ? [event.agentId, event.callId, event.tool, event.message] : [];
        assertSame(`the texts of event ${index}`, kept, [text, text, text, text]);
      }
    },
  },
  "stamps each event with the time of the ports": {
    advice: "Take `at` from ports.now() when append is called.",
    async check({ host, open }) {
      const log = await open();
      log.append("a", 0, start);
      await host.clock.advance(250);
      log.append("a", 1, start);
      const first = host.clock.now() - 250;
      assertKept("at", log, [first, first + 250]);
    },
  },
  "stamps events with an hlc that sorts in order, even if the clock is set back": {
    advice: "Take hlc from one createHlc(ports), by tick(at), for all events of the log.",
    async check({ host, open }) {
      const log = await open();
      for (const step of [0, 10, -5_000, 0, 1]) {
        host.clock.set(host.clock.now() + step);
        for (let count = 0; count < 3; count++) log.append("a", 0, start);
      }
      const stamps = log.events.map(({ hlc }) => hlc);
      for (const stamp of stamps) if (!isHlc(stamp)) fail("an hlc", stamp, "a hybrid logical clock's text");
      assertSame("the stamps, sorted and each once", [...new Set(stamps)].sort(), stamps);
    },
  },
  "stamps with the clock it is given": {
    advice: "Use options.hlc if it is set: several logs may share one clock.",
    async check({ host, open }) {
      const hlc = createHlc(host.ports);
      const logs = [await open({ hlc }), await open({ hlc })];
      const stamps: string[] = [];
      for (let turn = 0; turn < 6; turn++) {
        const log = logs[turn % 2] as EventLog;
        log.append("a", turn, start);
        stamps.push(numbered(log, Math.floor(turn / 2))?.hlc ?? "");
      }
      assertSame("the stamps of two logs with one clock, sorted and each once", [...new Set(stamps)].sort(), stamps);
    },
  },
  "gives the same events on every read": {
    advice: "Stamp an event once, in append. Reading must not change it.",
    async check({ open }) {
      const log = await open({ runId: "ef".repeat(16) });
      const read: string[] = [];
      for (let turn = 0; turn < 4; turn++) {
        log.append("a", turn, start);
        log.append("a", turn, delta("x"));
        read.push(JSON.stringify(numbered(log, turn)));
        assertSame(`how many there are after ${turn + 1}`, log.events.length, turn + 1);
      }
      for (const time of ["at the end", "again"]) {
        const events = read.map((_, seq) => JSON.stringify(numbered(log, seq)));
        assertSame(`the events, read ${time}`, events, read);
      }
    },
  },
  "keeps events up to its limit, counts the rest, and passes all to the listener": {
    advice: "Keep the first `limit` events, count later ones in `dropped`, and pass all of them to the listener.",
    async check({ open }) {
      for (const limit of [2, 0]) {
        let heard = 0;
        const log = await open({ limit, listener: () => void (heard += 1) });
        for (let turn = 0; turn < 5; turn++) log.append("a", turn, start);
        assertKept("seq", log, [0, 1].slice(0, limit), ` with a limit of ${limit}`);
        assertSame(`dropped with a limit of ${limit}`, log.dropped, 5 - limit);
        assertSame("how many were heard", heard, 5);
      }
    },
  },
  "does not count deltas as dropped": {
    advice: "Leave llm-delta events out of `events`, `seq` and `dropped`, at the limit too.",
    async check({ open }) {
      for (const listener of [undefined, () => undefined]) {
        const log = await open({ limit: 1, ...defined({ listener }) });
        for (const body of [start, delta("x"), start, delta("y")]) log.append("a", 0, body);
        assertKept("type", log, ["turn-start"]);
        assertSame("dropped", log.dropped, 1);
      }
    },
  },
  "keeps many events without losing or repeating any": {
    advice: "Keep every event up to the limit. The default is MAX_KEPT_EVENTS.",
    async check({ open }) {
      const log = await open();
      for (let turn = 0; turn < MANY; turn++) log.append("a", turn, start);
      assertSame("how many are kept", log.events.length, MANY);
      for (const [index, { seq, turnIndex }] of log.events.entries()) {
        if (seq !== index || turnIndex !== index)
          fail(`event ${index}`, { seq, turnIndex }, { seq: index, turnIndex: index });
      }
    },
  },
});

const MANY = 5_000;

/** All texts are well-formed, because only deltas may have half a character. */
const TEXTS = [
  ...["", " a ", "é", "e\u0301", "\0\u0001\r\n\u2028"],
  ...["\u{1f600}", "\ufeffa\u200b", "ﬁ ſ K", "\ufffd", "__proto__"],
];

/** Finds an event in any order, because only one case is about the order. */
function numbered(log: EventLog, seq: number): AgentEvent | undefined {
  return log.events.find((event) => event.seq === seq);
}

function isHlc(stamp: unknown): boolean {
  try {
    return typeof stamp === "string" && parseHlc(stamp) !== undefined;
  } catch {
    return false;
  }
}
