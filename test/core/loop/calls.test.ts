import { describe, expect, it } from "vitest";
import { AgentError, ToolArgError, ToolPolicyError } from "../../../src/core/errors.js";
import type { ScriptStep } from "../../../src/core/providers/scripted.js";
import type { CustomTool } from "../../../src/core/tools/tool.js";
import { gate, playLoop, toolResults } from "../../support/loop.js";
import { ask, say, tool, watchedScript } from "../../support/script.js";

const throwing = (name: string, error: unknown, extra: Partial<CustomTool> = {}) =>
  tool(
    name,
    () => {
      throw error;
    },
    extra,
  );
const works = tool("works", () => "fine");
const strict = tool("strict", () => 1, { schema: { required: ["a"] } });
const denial = new ToolPolicyError("no refunds after 30 days");
const refund = throwing("refund", denial);

describe("a call that a policy denies", () => {
  it("REL-49 ends the run with the very error, and the model is asked nothing more", async () => {
    const provider = watchedScript([ask([{ name: "refund" }]), say("x")]);
    const { error, stop, events } = await playLoop({ provider, tools: [refund] });
    expect(error).toBe(denial);
    expect(stop).toBeUndefined();
    expect(provider.asked).toHaveLength(1);
    expect(events.at(-1)).toEqual({
      turn: 0,
      type: "tool-denied",
      callId: "c0",
      tool: "refund",
      message: "no refunds after 30 days",
    });
  });

  it("REL-49 is not answered to the model, while the other calls of its turn are", async () => {
    const steps = [ask([{ name: "works" }, { name: "refund" }, { name: "works" }])];
    const { history, events } = await playLoop({ steps, tools: [refund, works] });
    expect(toolResults(history)).toEqual(["c0: fine", "c2: fine"]);
    expect(JSON.stringify(history)).not.toContain("30 days");
    expect(events.map(({ type }) => type).slice(-3)).toEqual(["tool-result", "tool-denied", "tool-result"]);
  });

  it("REL-49 ends the run once the calls that run at the same time are done", async () => {
    const done = gate();
    const finished: string[] = [];
    const slow = tool("slow", async () => {
      await done.opened;
      finished.push("slow");
    });
    const denied = tool("denied", () => {
      done.open();
      throw denial;
    });
    const { error } = await playLoop({ steps: [ask([{ name: "denied" }, { name: "slow" }])], tools: [slow, denied] });
    expect(error).toBe(denial);
    expect(finished).toEqual(["slow"]);
  });

  it("REL-49 keeps the later calls of a batch that writes from starting", async () => {
    const ran: string[] = [];
    const write = tool("write", () => ran.push("write"), { effect: "write" });
    const steps = [ask([{ name: "write" }, { name: "refund" }, { name: "write" }])];
    const { error } = await playLoop({ steps, tools: [write, refund] });
    expect(error).toBe(denial);
    expect(ran).toEqual(["write"]);
  });

  it("REL-49 is told before a failure of the same turn, which a retry would help", async () => {
    const broken = throwing("broken", new Error("broke"));
    const steps = [ask([{ name: "broken" }, { name: "refund" }])];
    const { error } = await playLoop({ steps, tools: [broken, refund], onToolError: "fail" });
    expect(error).toBe(denial);
  });

  it("REL-47 loses to an abort that comes with it", async () => {
    const controller = new AbortController();
    const late = tool("late", () => {
      controller.abort();
      throw denial;
    });
    const { error } = await playLoop({ steps: [ask([{ name: "late" }])], tools: [late], signal: controller.signal });
    expect(error).toMatchObject({ code: "aborted" });
  });
});

describe("turns of refused calls", () => {
  const refused = (count: number): ScriptStep[] => Array.from({ length: count }, () => ask([{ name: "gone" }]));
  const play = (steps: readonly ScriptStep[], maxCorrections?: number) =>
    playLoop({ steps, tools: [works, strict], ...(maxCorrections === undefined ? {} : { maxCorrections }) });

  it("REL-51 are fed back up to the limit", async () => {
    const { stop, error } = await play([...refused(3), say("sorry")], 3);
    expect(error).toBeUndefined();
    expect(stop).toEqual({ kind: "finished", finalAnswer: "sorry" });
  });

  it("REL-51 end the run beyond the limit, not to be retried, and the log says why", async () => {
    const { error, events } = await play([...refused(4), say("sorry")], 3);
    expect(error).toMatchObject({
      code: "tool-failed",
      retryable: false,
      message: "the model made only refused tool calls in 4 turns in a row",
    });
    expect(events.at(-1)).toEqual({ turn: 3, type: "corrections-exhausted", limit: 3 });
  });

  it("REL-51 end it at the first one where none may be corrected", async () => {
    const { error } = await play(refused(1), 0);
    expect(error).toMatchObject({ code: "tool-failed" });
    expect((error as Error).message).toContain("refused tool calls in a turn");
  });

  it("REL-51 have no limit unless one is set", async () => {
    expect((await play([...refused(40), say("sorry")])).stop).toEqual({ kind: "finished", finalAnswer: "sorry" });
  });

  it("REL-51 count refused and malformed arguments, and what a tool refuses itself", async () => {
    const picky = throwing("picky", new ToolArgError("no such card"));
    const steps = [
      ask([{ name: "strict" }]),
      ask([{ name: "works", malformedArguments: "{" }]),
      ask([{ name: "picky" }]),
    ];
    const { error, events } = await playLoop({ steps, tools: [works, strict, picky], maxCorrections: 2 });
    expect(error).toMatchObject({ code: "tool-failed" });
    expect(events.filter(({ type }) => type === "tool-failed")).toHaveLength(3);
  });

  it.each([
    ["succeeds", "works"],
    ["fails by itself", "broken"],
  ])("REL-51 are counted from 0 after a turn with one call that %s", async (_what, name) => {
    const broken = throwing("broken", new Error("broke"));
    const steps = [...refused(2), ask([{ name: "gone" }, { name }]), ...refused(2), say("done")];
    const { stop } = await playLoop({ steps, tools: [works, broken], maxCorrections: 2 });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
  });
});

describe("a tool that fails", () => {
  const broken = (error: unknown) => throwing("broken", error);
  const fail = (error: unknown) =>
    playLoop({ steps: [ask([{ name: "broken" }]), say("x")], tools: [broken(error)], onToolError: "fail" });

  it("REL-52 is fed back by default", async () => {
    const steps = [ask([{ name: "broken" }]), say("sorry")];
    for (const mode of [{}, { onToolError: "feedback" as const }]) {
      const { stop, history } = await playLoop({ steps, tools: [broken(new Error("row 7 is locked"))], ...mode });
      expect(stop).toEqual({ kind: "finished", finalAnswer: "sorry" });
      expect(toolResults(history)).toEqual(["c0: row 7 is locked"]);
    }
  });

  it("REL-52 ends the run, to be retried, for an agent that fails on it", async () => {
    const cause = new Error("row 7 is locked");
    const { error, events } = await fail(cause);
    expect(error).toMatchObject({
      code: "tool-failed",
      retryable: true,
      message: "tool broken failed: row 7 is locked",
      cause,
    });
    expect(events.at(-1)).toMatchObject({ type: "tool-failed", tool: "broken", message: "row 7 is locked" });
  });

  it("REL-52 says so within bounds and without keys", async () => {
    const { error } = await fail(new Error(`sk-test-0123456789 ${"x".repeat(9_000)}`));
    const { message } = error as Error;
    expect(message.length).toBeLessThan(600);
    expect(message).not.toContain("sk-test");
  });

  it("REL-52 ends it with the first failure in call order, and starts no later call of a batch that writes", async () => {
    const gates = [gate(), gate()];
    const make = (name: string, index: number, effect: "read" | "write") =>
      tool(
        name,
        async () => {
          if (effect === "read" && index === 0) await gates[1]?.opened;
          gates[index]?.open();
          throw new Error(name);
        },
        { effect },
      );
    const reads = await playLoop({
      steps: [ask([{ name: "one" }, { name: "two" }])],
      tools: [make("one", 0, "read"), make("two", 1, "read")],
      onToolError: "fail",
    });
    expect(reads.error).toMatchObject({ message: "tool one failed: one" });
    const writes = await playLoop({
      steps: [ask([{ name: "one" }, { name: "two" }])],
      tools: [make("one", 0, "write"), make("two", 1, "write")],
      onToolError: "fail",
    });
    expect(writes.events.filter(({ type }) => type === "tool-failed")).toHaveLength(1);
  });

  it("REL-50 is still fed back when it was the model's mistake", async () => {
    const steps = [ask([{ name: "strict" }, { name: "gone" }, { name: "picky" }]), say("done")];
    const picky = throwing("picky", new ToolArgError("no such card"));
    const { stop, history } = await playLoop({ steps, tools: [strict, picky], onToolError: "fail" });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
    expect(toolResults(history)).toEqual([0, 1, 2].map((call) => `c${call}: tool unavailable`));
  });

  it.each(["capability-missing", "aborted"] as const)("REL-53 leaves an error of code %s as it is", async (code) => {
    const thrown = new AgentError(code, "not here");
    expect((await fail(thrown)).error).toBe(thrown);
  });
});

describe("the event of a call", () => {
  it("REL-72 says when no tool got to see its arguments", async () => {
    const calls = [{ name: "works" }, { name: "strict" }, { name: "gone" }];
    const { events } = await playLoop({ steps: [ask(calls), say("x")], tools: [works, strict] });
    const told = events.flatMap((event) => (event.type === "tool-call" ? [[event.tool, event.refused]] : []));
    expect(told).toEqual([
      ["works", undefined],
      ["strict", true],
      ["gone", true],
    ]);
  });
});
