import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/canon/value.js";
import type { AgentEvent } from "../../../src/core/events/event.js";
import { createEventLog } from "../../../src/core/events/log.js";
import { MAX_KEPT_EVENTS } from "../../../src/core/limits.js";
import { quietPorts } from "../../support/script.js";

describe("createEventLog", () => {
  it("stamps each event with its place, the clock, the agent and the turn", () => {
    const log = createEventLog(quietPorts());
    log.append("a", -1, { type: "run-start", goal: "g" });
    log.append("b", 0, { type: "turn-start" });
    expect(log.events).toEqual([
      {
        seq: 0,
        at: 1_000,
        hlc: expect.any(String),
        runId: "",
        agentId: "a",
        turnIndex: -1,
        type: "run-start",
        goal: "g",
      },
      { seq: 1, at: 1_001, hlc: expect.any(String), runId: "", agentId: "b", turnIndex: 0, type: "turn-start" },
    ]);
  });

  it("hands each event to the listener as it happens, the very one it keeps", () => {
    const heard: AgentEvent[] = [];
    const log = createEventLog(quietPorts(), { listener: (event) => heard.push(event) });
    log.append("a", 0, { type: "turn-start" });
    expect(heard[0]).toBe(log.events[0]);
  });

  it.each<[string, unknown, string]>([
    ["an error", new Error("boom"), "boom"],
    ["something that has no text", Object.create(null), "something that has no text was thrown"],
  ])("warns of a listener that throws %s, and goes on", (_name, thrown, text) => {
    const ports = quietPorts();
    const log = createEventLog(ports, {
      listener() {
        throw thrown;
      },
    });
    log.append("a", 0, { type: "turn-start" });
    log.append("a", 1, { type: "turn-start" });
    expect(log.events).toHaveLength(2);
    expect(ports.warnings).toHaveLength(2);
    expect(ports.warnings[0]).toContain("turn-start");
    expect(ports.warnings[0]).toContain(text);
  });

  it.each<[string, () => unknown, string]>([
    ["an async listener that rejects", () => Promise.reject(new Error("late")), "late"],
    ["a thenable that rejects", () => ({ then: (_: unknown, no: (e: unknown) => void) => no("later") }), "later"],
    [
      "a result whose then throws",
      () => ({
        get then(): unknown {
          throw new Error("trap");
        },
      }),
      "trap",
    ],
  ])("warns of %s, and leaves no rejection behind", async (_name, listener, text) => {
    const ports = quietPorts();
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    createEventLog(ports, { listener: listener as () => void }).append("a", 0, { type: "turn-start" });
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
    expect(ports.warnings).toEqual([expect.stringContaining(text)]);
  });

  it("takes no async listener that fulfils for one that failed", async () => {
    const ports = quietPorts();
    createEventLog(ports, { listener: async () => undefined }).append("a", 0, { type: "turn-start" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(ports.warnings).toEqual([]);
  });

  it("lets no listener change what is kept, nor what the provider handed in", () => {
    const args = { path: { file: "a" } };
    const usage = { inputTokens: 1, outputTokens: 2 };
    const tamper = (event: AgentEvent) => {
      const open = event as unknown as { turnIndex: number; arguments?: typeof args; usage?: typeof usage };
      expect(() => (open.turnIndex = 9)).toThrow(TypeError);
      if (open.arguments !== undefined) expect(() => (open.arguments!.path.file = "b")).toThrow(TypeError);
      if (open.usage !== undefined) expect(() => (open.usage!.inputTokens = 9)).toThrow(TypeError);
    };
    const ports = quietPorts();
    const log = createEventLog(ports, { listener: tamper });
    log.append("a", 0, { type: "llm-turn", stopReason: "toolUse", toolCalls: 1, usage });
    log.append("a", 0, { type: "tool-call", callId: "c", tool: "t", arguments: args });
    args.path.file = "c";
    usage.inputTokens = 5;
    expect(ports.warnings).toEqual([]);
    expect(log.events).toMatchObject([
      { turnIndex: 0, usage: { inputTokens: 1 } },
      { turnIndex: 0, arguments: { path: { file: "a" } } },
    ]);
  });

  it("hands on arguments that are not JSON as they came", () => {
    const args = { bytes: Buffer.from("x") } as unknown as JsonObject;
    const heard: AgentEvent[] = [];
    const log = createEventLog(quietPorts(), { listener: (event) => heard.push(event) });
    log.append("a", 0, { type: "tool-call", callId: "c", tool: "t", arguments: args });
    expect((heard[0] as { arguments?: unknown }).arguments).toBe(args);
  });

  it("keeps events up to its limit, counts the rest, and lets the listener hear all", () => {
    const heard: number[] = [];
    const log = createEventLog(quietPorts(), { listener: ({ seq }) => heard.push(seq), limit: 2 });
    expect(log.dropped).toBe(0);
    for (let turn = 0; turn < 5; turn++) log.append("a", turn, { type: "turn-start" });
    expect(log.events.map(({ seq }) => seq)).toEqual([0, 1]);
    expect(log.dropped).toBe(3);
    expect(heard).toEqual([0, 1, 2, 3, 4]);
  });

  it("lets the listener hear a delta and keeps none, so the log is the same with and without streaming", () => {
    const heard: AgentEvent[] = [];
    const log = createEventLog(quietPorts(), { listener: (event) => heard.push(event) });
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
