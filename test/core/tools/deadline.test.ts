import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { DEFAULT_TOOL_TIMEOUT_MS, MAX_TIMER_MS } from "../../../src/core/limits.js";
import { systemPorts } from "../../../src/core/ports.js";
import { callWithin, settleWithin } from "../../../src/core/tools/deadline.js";
import { gate, playLoop, toolResults, type LoopCase } from "../../support/loop.js";
import { rejection } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

/** Timers that fire when the test says, and what they were set to. */
function handTimer() {
  const set: { ms: number; fire: () => void; isStopped: boolean }[] = [];
  const timer = (ms: number, fire: () => void) => {
    const one = { ms, fire, isStopped: false };
    set.push(one);
    return () => void (one.isStopped = true);
  };
  return { set, timer };
}

const never = () => new Promise<never>(() => undefined);
const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("a tool that never returns", () => {
  /** Plays one turn that calls `names`, each timer firing as soon as it is set. */
  const play = (names: string[], part: LoopCase) =>
    playLoop({
      steps: [ask(names.map((name) => ({ name }))), say("done")],
      ports: { timer: (_ms, fire) => (queueMicrotask(fire), () => undefined) },
      ...part,
    });

  it("is a failed call that the model reads of, and the run goes on", async () => {
    const { stop, history, events } = await play(["deaf"], { tools: [tool("deaf", never)], toolTimeoutMs: 50 });
    expect(stop).toEqual({ kind: "finished", finalAnswer: "done" });
    expect(toolResults(history)).toEqual(["c0: the tool took longer than 50 ms"]);
    expect(events).toContainEqual({
      turn: 0,
      type: "tool-failed",
      callId: "c0",
      tool: "deaf",
      message: "the tool took longer than 50 ms",
    });
  });

  it("does not hold the calls after it in a batch that writes", async () => {
    const write = tool("write", () => "written", { effect: "write" });
    const { history } = await play(["deaf", "write"], { tools: [tool("deaf", never, { timeoutMs: 7 }), write] });
    expect(toolResults(history)).toEqual(["c0: the tool took longer than 7 ms", "c1: written"]);
  });

  it("ends the run where the agent ends on failures, with the timeout as its cause", async () => {
    const { error } = await play(["deaf"], { tools: [tool("deaf", never)], toolTimeoutMs: 50, onToolError: "fail" });
    expect(error).toMatchObject({ code: "tool-failed", cause: { code: "timeout", retryable: true } });
  });

  it("has its own signal aborted, and not that of the run", async () => {
    const run = new AbortController();
    const seen: AbortSignal[] = [];
    const deaf = tool("deaf", (_args, context) => {
      seen.push(context.signal);
      return never();
    });
    await play(["deaf"], { tools: [deaf], signal: run.signal });
    expect(seen[0]).toMatchObject({ aborted: true, reason: { code: "timeout" } });
    expect(run.signal.aborted).toBe(false);
  });

  it("is told so when it asks for its signal only after its time", async () => {
    const over = gate();
    let asked: AbortSignal | undefined;
    const slow = tool("slow", async (_args, context) => {
      await over.opened;
      asked = context.signal;
    });
    await play(["slow"], { tools: [slow] });
    over.open();
    await over.opened;
    expect(asked?.aborted).toBe(true);
  });

  it.each(["gives something", "rejects"])("is not heard when it %s late", async (how) => {
    const over = gate();
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const slow = tool("slow", async () => {
      await over.opened;
      if (how === "rejects") throw new Error("late");
      return "late";
    });
    const { history } = await play(["slow"], { tools: [slow], toolTimeoutMs: 3 });
    over.open();
    // Rejections that nobody takes are told once the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
    expect(toolResults(history)).toEqual(["c0: the tool took longer than 3 ms"]);
  });
});

describe("the time limit", () => {
  const waitFor = async (part: LoopCase) => {
    const hand = handTimer();
    const { opened, open } = gate();
    const slow = tool("slow", () => opened, part.tools?.[0]);
    const running = playLoop({ steps: [ask([{ name: "slow" }]), say("x")], ports: hand, ...part, tools: [slow] });
    await new Promise((resolve) => setImmediate(resolve));
    const set = hand.set.map(({ ms }) => ms);
    open();
    await running;
    return { set, stopped: hand.set.every(({ isStopped }) => isStopped) };
  };
  const limited = (timeoutMs: number) => [{ timeoutMs } as ReturnType<typeof tool>];

  it("is ten minutes, or the agent's, or the tool's own, and is forgotten when the tool is done", async () => {
    expect(DEFAULT_TOOL_TIMEOUT_MS).toBe(600_000);
    expect(await waitFor({})).toEqual({ set: [600_000], stopped: true });
    expect(await waitFor({ toolTimeoutMs: 5 })).toEqual({ set: [5], stopped: true });
    expect(await waitFor({ toolTimeoutMs: 5, tools: limited(9) })).toEqual({ set: [9], stopped: true });
  });

  it("is lifted by Infinity", async () => {
    expect(await waitFor({ toolTimeoutMs: Infinity })).toEqual({ set: [], stopped: true });
    expect(await waitFor({ toolTimeoutMs: 5, tools: limited(Infinity) })).toEqual({ set: [], stopped: true });
  });

  it("costs a tool that returns at once neither a timer nor a listener", async () => {
    const hand = handTimer();
    const { signal } = new AbortController();
    const quick = tool("quick", () => 1);
    await playLoop({ steps: [ask([{ name: "quick" }]), say("x")], tools: [quick], ports: hand, signal });
    expect(hand.set).toEqual([]);
  });

  it("costs a tool whose promise is kept already neither a timer nor a listener", async () => {
    const hand = handTimer();
    const { signal } = new AbortController();
    const quick = tool("quick", async () => 1);
    await playLoop({ steps: [ask([{ name: "quick" }]), say("x")], tools: [quick], ports: hand, signal });
    expect(hand.set).toEqual([]);
  });

  it("beyond what a timer takes is waited for in pieces", async () => {
    const { set, timer } = handTimer();
    const { signal } = new AbortController();
    const timeoutMs = 2 * MAX_TIMER_MS + 5;
    const work = rejection(settleWithin(never(), { signal, timeoutMs, ports: { timer } }));
    await Promise.resolve();
    expect(set.map(({ ms }) => ms)).toEqual([MAX_TIMER_MS]);
    set[0]?.fire();
    set[1]?.fire();
    expect(set.map(({ ms }) => ms)).toEqual([MAX_TIMER_MS, MAX_TIMER_MS, 5]);
    set[2]?.fire();
    expect(await work).toMatchObject({ code: "timeout", message: `the tool took longer than ${timeoutMs} ms` });
  });

  it("does not fire at once by the system's timer when it is beyond what that takes", async () => {
    const { signal } = new AbortController();
    const { opened, open } = gate();
    const work = settleWithin(opened, { signal, timeoutMs: Number.MAX_VALUE, ports: systemPorts });
    await new Promise((resolve) => systemPorts.timer(5, () => resolve(undefined)));
    open();
    expect(await work).toBeUndefined();
  });
});

describe("the run's abort", () => {
  it("PLK-50 reaches every tool that runs, and stops its clock", async () => {
    const run = new AbortController();
    const hand = handTimer();
    const reasons: unknown[] = [];
    const wait = tool("wait", (_args, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return never();
    });
    const names = Array.from({ length: 5 }, () => ({ name: "wait" }));
    const running = playLoop({ steps: [ask(names)], tools: [wait], signal: run.signal, ports: hand });
    await new Promise((resolve) => setImmediate(resolve));
    expect(hand.set).toHaveLength(5);
    run.abort("enough");
    expect((await running).error).toMatchObject({ code: "aborted", cause: "enough" });
    expect(reasons).toEqual(["enough", "enough", "enough", "enough", "enough"]);
    expect(hand.set.every(({ isStopped }) => isStopped)).toBe(true);
    expect(listeners(run.signal)).toBe(0);
  });

  it("keeps its signal with the run's after the call, for what a tool left running", async () => {
    const run = new AbortController();
    let own: AbortSignal | undefined;
    const quick = tool("quick", (_args, context) => {
      own = context.signal;
      return "left something running";
    });
    await playLoop({ steps: [ask([{ name: "quick" }]), say("done")], tools: [quick], signal: run.signal });
    expect(own?.aborted).toBe(false);
    run.abort(new Error("over"));
    expect(own).toMatchObject({ aborted: true, reason: { message: "over" } });
  });

  it("adds one listener to the run's signal however many calls there are, and none that outlasts calls which look at no signal", async () => {
    const { signal } = new AbortController();
    const hand = handTimer();
    const deadline = { signal, timeoutMs: 1_000, ports: hand };
    for (let round = 0; round < 100; round++) {
      const { opened, open } = gate();
      const calls = Array.from({ length: 100 }, async () => callWithin(() => opened, deadline));
      await Promise.resolve();
      expect(listeners(signal)).toBe(1);
      open();
      await Promise.all(calls);
      await Promise.resolve();
      expect(listeners(signal)).toBe(0);
    }
    for (let call = 0; call < 100; call++) await callWithin((own) => Promise.resolve(own.signal), deadline);
    expect(listeners(signal)).toBe(1);
    await Promise.resolve();
    expect(hand.set).toHaveLength(10_000);
    expect(hand.set.every(({ isStopped }) => isStopped)).toBe(true);
  });
});
