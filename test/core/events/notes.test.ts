import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent, EventBody } from "../../../src/core/events/event.js";
import { createEventLog, type EventLogOptions } from "../../../src/core/events/log.js";
import { createHlc, HybridClock } from "../../../src/core/time/hlc.js";
import type { Ports } from "../../../src/core/ports.js";
import { quietPorts } from "../../support/script.js";

const body = fc.constantFrom<EventBody>(
  { type: "turn-start" },
  { type: "llm-delta", kind: "text", text: "a" },
  { type: "tool-result", callId: "1", tool: "read", content: "x", cut: 0 },
);

/** A clock that goes where it is told, backwards as well. */
function portsAt(times: readonly number[]): Ports {
  let read = 0;
  return { ...quietPorts(), now: () => times[read++ % times.length] as number };
}

describe("events that nobody has looked at", () => {
  it("are those that a listener hears, stamp by stamp, whenever one looks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(body, fc.constantFrom("a", "b"), fc.integer({ min: -1, max: 3 }), fc.boolean()), {
          maxLength: 30,
        }),
        fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ min: 0, max: 9, noNaN: true })), {
          minLength: 1,
        }),
        fc.nat(20),
        (steps, times, limit) => {
          const heard: AgentEvent[] = [];
          const open = (options: EventLogOptions) => {
            const ports = portsAt(times);
            return createEventLog(ports, { runId: "r", hlc: createHlc(ports, "00000001"), limit, ...options });
          };
          const [quiet, told] = [open({}), open({ listener: (event) => heard.push(event) })];
          for (const [event, agentId, turn, looks] of steps) {
            for (const log of [quiet, told]) log.append(agentId, turn, event);
            if (looks) expect(quiet.events).toEqual(told.events);
          }
          expect(quiet.events).toEqual(told.events);
          expect(quiet.dropped).toBe(told.dropped);
          expect(told.events).toEqual(heard.filter(({ type }) => type !== "llm-delta").slice(0, limit));
        },
      ),
    );
  });

  it("are made once, so that two looks see the same objects", () => {
    const log = createEventLog(quietPorts());
    log.append("a", 0, { type: "turn-start" });
    expect(log.events[0]).toBe(log.events[0]);
  });

  it("are made at once under a clock of somebody else's, whose stamps are nothing but text", () => {
    const hlc = { tick: () => "mine", receive: () => undefined };
    expect(hlc).not.toBeInstanceOf(HybridClock);
    const log = createEventLog(quietPorts(), { hlc });
    log.append("a", 0, { type: "turn-start" });
    expect(log.events).toMatchObject([{ hlc: "mine", seq: 0 }]);
  });
});
