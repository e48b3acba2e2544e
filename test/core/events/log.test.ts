import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/core/events/event.js";
import { createEventLog, MAX_KEPT_EVENTS } from "../../../src/core/events/log.js";
import { quietPorts } from "../../support/script.js";

describe("createEventLog", () => {
  it("stamps each event with its place, the clock, the agent and the turn", () => {
    const log = createEventLog(quietPorts());
    log.append("a", -1, { type: "run-start", goal: "g" });
    log.append("b", 0, { type: "turn-start" });
    expect(log.events).toEqual([
      { seq: 0, at: 1_000, agentId: "a", turnIndex: -1, type: "run-start", goal: "g" },
      { seq: 1, at: 1_001, agentId: "b", turnIndex: 0, type: "turn-start" },
    ]);
  });

  it("hands each event to the listener as it happens, the very one it keeps", () => {
    const heard: AgentEvent[] = [];
    const log = createEventLog(quietPorts(), (event) => heard.push(event));
    log.append("a", 0, { type: "turn-start" });
    expect(heard[0]).toBe(log.events[0]);
  });

  it.each<[string, unknown, string]>([
    ["an error", new Error("boom"), "boom"],
    ["something that has no text", Object.create(null), "something that has no text was thrown"],
  ])("warns of a listener that throws %s, and goes on", (_name, thrown, text) => {
    const ports = quietPorts();
    const log = createEventLog(ports, () => {
      throw thrown;
    });
    log.append("a", 0, { type: "turn-start" });
    log.append("a", 1, { type: "turn-start" });
    expect(log.events).toHaveLength(2);
    expect(ports.warnings).toHaveLength(2);
    expect(ports.warnings[0]).toContain("turn-start");
    expect(ports.warnings[0]).toContain(text);
  });

  it("keeps events up to its limit, counts the rest, and lets the listener hear all", () => {
    const heard: number[] = [];
    const log = createEventLog(quietPorts(), ({ seq }) => heard.push(seq), 2);
    expect(log.dropped).toBe(0);
    for (let turn = 0; turn < 5; turn++) log.append("a", turn, { type: "turn-start" });
    expect(log.events.map(({ seq }) => seq)).toEqual([0, 1]);
    expect(log.dropped).toBe(3);
    expect(heard).toEqual([0, 1, 2, 3, 4]);
  });

  it("lets the listener hear a delta and keeps none, so the log is the same with and without streaming", () => {
    const heard: AgentEvent[] = [];
    const log = createEventLog(quietPorts(), (event) => heard.push(event));
    log.append("a", 0, { type: "turn-start" });
    log.append("a", 0, { type: "llm-delta", kind: "text", text: "It " });
    log.append("a", 0, { type: "llm-delta", kind: "text", text: "rains." });
    log.append("a", 0, { type: "llm-turn", stopReason: "stop", toolCalls: 0 });
    expect(heard.map(({ type, seq }) => [type, seq])).toEqual([
      ["turn-start", 0],
      ["llm-delta", 1],
      ["llm-delta", 1],
      ["llm-turn", 1],
    ]);
    expect(log.events.map(({ type }) => type)).toEqual(["turn-start", "llm-turn"]);
    expect(log.dropped).toBe(0);
  });

  it("has room for more events than any default budget can make", () => {
    // 50 turns of 3 events, 200 tool calls of 2, and the two ends of the run.
    expect(MAX_KEPT_EVENTS).toBeGreaterThan(50 * 3 + 200 * 2 + 2);
  });
});
