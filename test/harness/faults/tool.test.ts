import { describe, expect, it } from "vitest";
import { AgentError } from "../../../src/core/errors.js";
import { fixedClock } from "../../../src/harness/doubles/clock.js";
import { faultyTool, TOOL_FAULT_KINDS, type ToolFault } from "../../../src/harness/faults/tool.js";
import { MAX_LISTED_FAULTS } from "../../../src/harness/limits.js";
import { playLoop, toolResults } from "../../support/loop.js";
import { ask, say, tool } from "../../support/script.js";
import { everyToolFault } from "../../support/tool-faults.js";

/** What the model reads of a call that is struck, how often the tool did its work, and how long that took. */
async function strike(fault: ToolFault, extra: { toolTimeoutMs?: number } = {}) {
  const clock = fixedClock(0);
  let worked = 0;
  const work = tool("work", () => ((worked += 1), "done"));
  const faulty = faultyTool(work, { schedule: [{ call: 0, fault }], ports: clock });
  const steps = [ask([{ name: "work" }]), ask([{ name: "work" }]), say("end")];
  const played = await clock.until(playLoop({ steps, tools: [faulty], ports: clock, ...extra }));
  expect(played.error).toBeUndefined();
  const [first = "", second = ""] = toolResults(played.history);
  expect(second).toBe("c0: done");
  expect(faulty.injected).toEqual([{ call: 0, fault, took: true }]);
  return { text: first.slice("c0: ".length), worked: worked - 1, tookMs: clock.now() };
}

/** A tool with a field of its own, which an agent accepts in an instance of a class. */
class Counter {
  count = 0;
  readonly name = "count";
  readonly description = "Counts.";
  readonly schema = { type: "object" };
  get retryPolicy() {
    return "idempotent" as const;
  }
  invoke() {
    return ++this.count;
  }
}

describe("faultyTool", () => {
  it("takes an instance of a class, with what its prototype says", async () => {
    const faulty = faultyTool(new Counter(), { schedule: [] });
    expect(faulty.retryPolicy).toBe("idempotent");
    const played = await playLoop({ steps: [ask([{ name: "count" }]), say("end")], tools: [faulty] });
    expect(played.error).toBeUndefined();
    expect(toolResults(played.history)).toEqual(["c0: 1"]);
  });

  it("throws before the work, or after it", async () => {
    expect(await strike({ kind: "throw" })).toMatchObject({
      text: expect.stringContaining("503") as string,
      worked: 0,
    });
    expect(await strike({ kind: "throw", message: "no" })).toMatchObject({ text: "no", worked: 0 });
    expect(await strike({ kind: "lost-answer" })).toMatchObject({
      text: expect.stringContaining("broke") as string,
      worked: 1,
    });
  });

  it("waits until its time is up, whether it heeds its signal or not", async () => {
    for (const kind of ["hang", "deaf"] as const) {
      const struck = await strike({ kind }, { toolTimeoutMs: 2_000 });
      expect(struck).toEqual({ text: "the tool took longer than 2000 ms", worked: 0, tookMs: 2_000 });
    }
  });

  it("goes on where it is deaf, and ends where it hangs, once its signal fires", async () => {
    for (const [kind, expected] of [
      ["hang", ["gone at 10"]],
      ["deaf", ["worked at 1010", "done at 1010"]],
    ] as const) {
      const clock = fixedClock(0);
      const seen: string[] = [];
      const note = (what: string) => void seen.push(`${what} at ${clock.now()}`);
      const work = tool("work", () => (note("worked"), "done"));
      const faulty = faultyTool(work, { schedule: [{ call: 0, fault: { kind } }], ports: clock });
      const controller = new AbortController();
      clock.timer(10, () => controller.abort(new Error("gone")));
      const call = faulty.invoke({}, { signal: controller.signal } as never) as Promise<string>;
      await clock.until(call.then(note, (error: Error) => note(error.message)));
      expect([kind, seen]).toEqual([kind, expected]);
    }
  });

  it("is slow, and right", async () => {
    expect(await strike({ kind: "slow", ms: 700 })).toEqual({ text: "done", worked: 1, tookMs: 700 });
  });

  it("returns another type, what is not JSON, far too much, and keys that pollute", async () => {
    expect((await strike({ kind: "wrong-type" })).text).toBe("null");
    expect((await strike({ kind: "wrong-type", value: [1] })).text).toBe("[1]");
    expect((await strike({ kind: "not-json", what: "bigint" })).text).toBe('{"count":"18446744073709551616"}');
    expect((await strike({ kind: "not-json", what: "cycle" })).text).toContain("[Circular]");
    expect((await strike({ kind: "not-json", what: "function" })).text).toBe("null");
    expect((await strike({ kind: "not-json", what: "throws" })).text).toContain("no JSON");
    const { text } = await strike({ kind: "huge" });
    expect(text.length).toBeLessThan(21_000);
    expect(text).toContain("980000 more characters were cut off");
    expect((await strike({ kind: "huge", characters: 3 })).text).toBe("xxx");
    expect((await strike({ kind: "forbidden-key" })).text).toContain('"__proto__":{"isAdmin":true}');
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it("keeps what a model sees of the tool", () => {
    const work = tool("work", () => 1, { effect: "write", timeoutMs: 5 });
    expect(faultyTool(work, { schedule: [] })).toMatchObject({
      name: "work",
      effect: "write",
      timeoutMs: 5,
      schema: work.schema,
    });
  });

  it("is struck by the same faults for the same seed, and by those it reports", async () => {
    const play = (options: Parameters<typeof faultyTool>[1]) => {
      const faulty = faultyTool(
        tool("t", () => 1),
        options,
      );
      for (let call = 0; call < 100; call++) faulty.invoke({}, {} as never);
      return faulty.injected;
    };
    const faults: ToolFault[] = [{ kind: "wrong-type" }, { kind: "forbidden-key" }];
    const injected = play({ faults, seed: 5 });
    expect(injected.length).toBeGreaterThan(10);
    expect(play({ faults, seed: 5 })).toEqual(injected);
    expect(play({ faults, seed: 6 })).not.toEqual(injected);
    expect(play({ schedule: injected })).toEqual(injected);
  });

  it("lists the first 100,000 faults, and goes on striking", () => {
    const faulty = faultyTool(
      tool("t", () => 1),
      { faults: [{ kind: "wrong-type" }], rate: 1 },
    );
    for (let call = 0; call < MAX_LISTED_FAULTS; call++) faulty.invoke({}, {} as never);
    expect(faulty.invoke({}, {} as never)).toBeNull();
    expect(faulty.injected).toHaveLength(MAX_LISTED_FAULTS);
    expect(faulty.injected.at(-1)?.call).toBe(99_999);
  });

  it.each([
    ["an unknown kind", { kind: "gone" }, 'fault 0: kind is "gone"'],
    ["a time below 0", { kind: "slow", ms: -1 }, "ms is -1"],
    ["what is JSON", { kind: "not-json", what: "text" }, 'what is "text"'],
    ["more than fits", { kind: "huge", characters: 1e12 }, "characters is 1000000000000"],
  ])("refuses %s", (_name, fault, text) => {
    expect(() =>
      faultyTool(
        tool("t", () => 1),
        { faults: [fault as ToolFault] },
      ),
    ).toThrow(text);
    expect(() =>
      faultyTool(
        tool("t", () => 1),
        { fault } as never,
      ),
    ).toThrow("unknown option: fault");
  });

  it("has a fault of every kind in the list of all", () => {
    expect(new Set(everyToolFault().map(({ kind }) => kind))).toEqual(new Set(TOOL_FAULT_KINDS));
  });

  it("ends a run whose agent says so", async () => {
    const faulty = faultyTool(
      tool("work", () => 1),
      { faults: [{ kind: "throw" }], rate: 1 },
    );
    const { error } = await playLoop({ steps: [ask([{ name: "work" }])], tools: [faulty], onToolError: "fail" });
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ code: "tool-failed", retryable: true });
  });
});
