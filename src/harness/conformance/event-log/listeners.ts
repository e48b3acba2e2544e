// Cases about a log's listener, and the tap that is called before it.

import type { AgentEvent, EventLog } from "../../../core/index.js";
import { assertKept, delta, start, type Bench } from "./keeping.js";
import { assertSame, fail, toClauses, type Clause } from "../../contract/clause.js";

const TELL = "Call the listener within append, for every event and in order.";
const GUARD = "Call the listener in a try block, catch its promise's rejection too, and report both with ports.warn.";

export const listenerClauses: readonly Clause<Bench>[] = toClauses({
  "passes each event to the listener at once, in order": {
    advice: TELL,
    async check({ open }) {
      const heard: string[] = [];
      const log = await open({ listener: ({ seq, type }) => void heard.push(`${seq} ${type}`) });
      log.append("a", -1, { type: "run-start", goal: "go" });
      assertSame("what was heard after the first", heard, ["0 run-start"]);
      log.append("a", 0, start);
      assertSame("what was heard", heard, ["0 run-start", "1 turn-start"]);
    },
  },
  "passes deltas on without keeping or numbering them": {
    advice: "Pass llm-delta events to the listener with the seq of the next kept event, but do not keep them.",
    async check({ open }) {
      const heard: string[] = [];
      const log = await open({ listener: ({ seq, type }) => void heard.push(`${seq} ${type}`) });
      log.append("a", 0, start);
      log.append("a", 0, delta("x"));
      log.append("a", 0, delta("y"));
      log.append("a", 1, start);
      const kept = log.events.map(({ seq, type }) => `${seq} ${type}`);
      assertSame("kept", kept, ["0 turn-start", "1 turn-start"]);
      assertSame("heard", heard, ["0 turn-start", "1 llm-delta", "1 llm-delta", "1 turn-start"]);
      assertSame("dropped", log.dropped, 0);
    },
  },
  "passes on both halves of a character split between deltas": {
    advice: "Pass on the text of a delta unchanged.",
    async check({ open }) {
      const heard: string[] = [];
      const log = await open({ listener: (event) => void heard.push(event.type === "llm-delta" ? event.text : "") });
      for (const half of ["\ud83d", "\ude00", "e", "\u0301"]) log.append("a", 0, delta(half));
      assertSame("the pieces that were heard, put together", heard.join(""), "\u{1f600}e\u0301");
    },
  },
  "does not let a listener change kept events": {
    advice: "Pass the listener a frozen event with copies of its contents.",
    async check({ open }) {
      let isFrozen = true;
      const log = await open({
        listener(event) {
          isFrozen &&= Object.isFrozen(event);
          Reflect.set(event, "agentId", "somebody else");
          if (event.type === "tool-call") Reflect.set(event.arguments, "city", "Rome");
        },
      });
      log.append("a", 0, { type: "tool-call", callId: "c", tool: "t", arguments: { city: "Oslo" } });
      assertSame("the agent", log.events[0]?.agentId, "a");
      assertSame("the event", log.events[0]?.type === "tool-call" && log.events[0].arguments, { city: "Oslo" });
      assertSame("whether the listener's event is frozen", isFrozen, true);
    },
  },
  "keeps an event before the listener sees it": {
    advice: "Keep an event before you call the listener.",
    async check({ open }) {
      const opened: EventLog[] = [];
      const found: boolean[] = [];
      const listener = ({ turnIndex }: AgentEvent) =>
        void found.push(opened[0]?.events.some((event) => event.turnIndex === turnIndex) === true);
      const log = await open({ listener });
      opened.push(log);
      for (let turn = 0; turn < 3; turn++) log.append("a", turn, start);
      assertSame("whether the listener finds each event among the kept ones", found, [true, true, true]);
      assertSame("how many are kept", log.events.length, 3);
    },
  },
  "goes on when a listener throws, and warns": {
    advice: GUARD,
    async check({ host, open }) {
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
  },
  "handles a late rejection of a listener, and warns": {
    advice: GUARD,
    async check({ host, open }) {
      // A thenable, so that a log that ignores it leaves no rejection that would end the process.
      const late = { then: (_fulfil: unknown, reject?: (error: Error) => void) => reject?.(new Error("late")) };
      const log = await open({ listener: () => late as unknown as undefined });
      log.append("a", 0, start);
      await host.clock.advance(0);
      assertSame("how many are kept", log.events.length, 1);
      assertSame("how many warnings there are", host.warnings.length, 1);
    },
  },
  "passes each kept event and its detail to the tap, before the listener": {
    advice: "Call options.tap(event, detail) for each event except deltas, and then the listener.",
    async check({ open }) {
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
  },
  "keeps counting when a listener appends": {
    advice: "Number and keep an event before you call the listener.",
    async check({ open }) {
      const opened: EventLog[] = [];
      const listener = ({ type }: AgentEvent) => {
        if (type === "run-start") opened[0]?.append("b", 0, start);
      };
      const log = await open({ listener });
      opened.push(log);
      log.append("a", -1, { type: "run-start", goal: "go" });
      log.append("a", 1, { type: "run-end", stop: "finished" });
      assertKept("type", log, ["run-start", "turn-start", "run-end"]);
      assertKept("seq", log, [0, 1, 2]);
    },
  },
});
