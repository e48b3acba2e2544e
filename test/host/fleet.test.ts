import { describe, expect, it } from "vitest";
import { AgentError } from "../../src/core/errors.js";
import { createRuntime, type AgentRuntime } from "../../src/core/runtime/runtime.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import { createFleet } from "../../src/host/fleet.js";
import type { FleetOptions, FleetProgress, FleetTarget } from "../../src/host/fleet/options.js";
import { fixedClock } from "../../src/harness/doubles/clock.js";
import { agent } from "../support/agents.js";
import { fakeRuntime, told, type Work } from "../support/fleet.js";
import { refusal } from "../support/refusal.js";
import { quietPorts, say, tool } from "../support/script.js";

const targets = (...ids: string[]): FleetTarget[] => ids.map((id) => ({ id, goal: `do ${id}` }));
const member = (id: string, work: Work = (goal) => `${id}: ${goal}`) => ({ id, runtime: fakeRuntime(work) });
const failing =
  (error: unknown = new Error("no luck")): Work =>
  () =>
    Promise.reject(error);
const busy = () => new AgentError("provider-http", "busy", { retryable: true });
const fleetOf = (members: FleetOptions["members"], options: Omit<FleetOptions, "members"> = {}) =>
  createFleet({ ports: quietPorts(), ...options, members });

describe("a fleet", () => {
  it("PLK-11 runs every target on every member, and tells of them in order whatever finished first", async () => {
    const clock = fixedClock(1_000_000);
    const slow =
      (ms: number, id: string): Work =>
      (goal) =>
        clock.sleep(goal === "do x" ? ms : 1).then(() => `${id}: ${goal}`);
    const fleet = fleetOf([member("m1", slow(50, "m1")), member("m2", slow(5, "m2"))], { ports: clock });
    const { cells, counts } = await clock.until(fleet.run({ targets: targets("x", "y") }));
    expect(told(cells)).toEqual([
      "m1 x done: m1: do x",
      "m1 y done: m1: do y",
      "m2 x done: m2: do x",
      "m2 y done: m2: do y",
    ]);
    expect(counts).toEqual({ total: 4, done: 4, failed: 0, skipped: 0 });
    expect(cells[0]).toEqual({
      ...{ member: "m1", target: "x", status: "done", attempts: 1, startedAt: 1_000_000, endedAt: 1_000_050 },
      result: {
        ...{ agentId: "ann", finalAnswer: "m1: do x", turns: 1, toolCalls: 0 },
        usage: { inputTokens: 1, outputTokens: 2 },
      },
    });
    expect(JSON.parse(JSON.stringify(cells))).toEqual(cells);
  });

  it("PLK-11 drives real runtimes, each with what is its own", async () => {
    const made = ["m1", "m2"].map((id) => ({
      id,
      runtime: () =>
        createRuntime({ agents: [agent(scriptedProvider([say(`${id} one`), say(`${id} two`)]))], ports: quietPorts() }),
    }));
    const fleet = fleetOf(made);
    const { cells } = await fleet.run({ targets: targets("x", "y") });
    expect(told(cells)).toEqual(["m1 x done: m1 one", "m1 y done: m1 two", "m2 x done: m2 one", "m2 y done: m2 two"]);
    await fleet.destroy();
  });

  it("gives each target to whichever member is free, once, where any may take it", async () => {
    const clock = fixedClock(1_000_000);
    const fleet = fleetOf(
      [
        member("slow", (goal) => clock.sleep(100).then(() => goal)),
        member("fast", (goal) => clock.sleep(10).then(() => goal)),
      ],
      { ports: clock },
    );
    const { cells } = await clock.until(fleet.run({ targets: targets("a", "b", "c", "d"), assign: "any" }));
    expect(told(cells)).toEqual(["slow a done: do a", "fast b done: do b", "fast c done: do c", "fast d done: do d"]);
  });

  it("makes the goal for each member where it is a function, and takes no other thing for one", async () => {
    const fleet = fleetOf([member("m1"), member("m2")]);
    const { cells } = await fleet.run({
      targets: [
        { id: "x", goal: (id) => `for ${id}` },
        { id: "y", goal: (() => 7) as never },
        {
          id: "z",
          goal() {
            throw new Error("no goal today");
          },
        },
      ],
    });
    expect(told(cells.slice(0, 3))).toEqual([
      "m1 x done: m1: for m1",
      "m1 y failed: invalid-options the goal of target y for member m1 is number",
      "m1 z failed: unknown no goal today",
    ]);
    expect(cells[1]).toMatchObject({ attempts: 0 });
  });

  it("keeps a failure as data and goes on", async () => {
    const denied = new AgentError("tool-denied", "not that", { hint: "Ask somebody." });
    const hostile = {
      toString() {
        throw new Error("never");
      },
    };
    const fleet = fleetOf([
      member("m1", failing(denied)),
      member("m2", failing("a text")),
      member("m3", failing(hostile)),
      member("m4", failing(new Error("e".repeat(5_000)))),
      { id: "m5", runtime: { run: (() => undefined) as never, destroy: async () => undefined, receipts: [] } },
      member("m6"),
    ]);
    const { cells, counts } = await fleet.run({ targets: targets("x") });
    const error = { code: "tool-denied", message: "not that", hint: "Ask somebody.", retryable: false };
    expect(cells[0]).toMatchObject({ status: "failed", attempts: 1, error });
    expect(cells[1]).toMatchObject({ error: { code: "unknown", message: "a text", retryable: false } });
    expect(cells[2]).toMatchObject({ error: { code: "unknown", message: "something that has no text was thrown" } });
    expect(cells[3]).toMatchObject({ error: { message: "e".repeat(1_000) } });
    expect(cells.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed", "failed", "done"]);
    expect(counts).toEqual({ total: 6, done: 1, failed: 5, skipped: 0 });
  });

  it("gives no warning of Node about listeners, however many members there are", async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => void warnings.push(warning);
    process.on("warning", listen);
    const members = Array.from({ length: 40 }, (_, index) =>
      member(`m${index}`, () => new Promise((resolve) => void setImmediate(() => resolve("")))),
    );
    const run = { targets: targets("x"), signal: new AbortController().signal };
    expect((await fleetOf(members, { concurrency: 30 }).run(run)).counts.done).toBe(40);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    expect(warnings).toEqual([]);
  });

  it("takes no notice of what becomes of its options afterwards", async () => {
    const list = targets("x");
    const fleet = fleetOf([member("m1", async (goal) => (await Promise.resolve(), goal))]);
    const running = fleet.run({ targets: list });
    (list as { id: string; goal: string }[])[0]!.goal = "changed";
    list.push({ id: "y", goal: "y" });
    expect(told((await running).cells)).toEqual(["m1 x done: do x"]);
  });
});

describe("the progress of a fleet", () => {
  it("is told once for each cell, with what is settled so far", async () => {
    const seen: FleetProgress[] = [];
    const fleet = fleetOf([member("m1"), member("m2", failing())]);
    await fleet.run({ targets: targets("x", "y"), onProgress: (progress) => void seen.push(progress) });
    expect(seen.map(({ counts }) => counts.done + counts.failed + counts.skipped)).toEqual([1, 2, 3, 4]);
    expect(seen.at(-1)!.counts).toEqual({ total: 4, done: 2, failed: 2, skipped: 0 });
    expect(new Set(told(seen.map(({ cell }) => cell))).size).toBe(4);
  });

  it("is a warning, once, when whoever listens throws or rejects", async () => {
    for (const onProgress of [
      () => {
        throw new Error("deaf");
      },
      () => Promise.reject(new Error("deaf")),
    ]) {
      const ports = quietPorts();
      const fleet = fleetOf([member("m1")], { ports });
      const { counts } = await fleet.run({ targets: targets("x", "y"), onProgress: onProgress as () => void });
      await new Promise((resolve) => setImmediate(resolve));
      expect(counts.done).toBe(2);
      expect(ports.warnings).toEqual(["playhead: onProgress of a fleet failed: deaf"]);
    }
  });
});

describe("an aborted fleet", () => {
  it("aborts what runs, skips the rest and resolves with what there is", async () => {
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const fleet = fleetOf([
      member("m1", async (goal, signal) => {
        if (goal === "do x") return "done in time";
        signals.push(signal);
        controller.abort();
        // It does not heed its signal; the fleet does not wait for it.
        return new Promise<string>(() => undefined);
      }),
    ]);
    const { cells, counts } = await fleet.run({ targets: targets("x", "y", "z"), signal: controller.signal });
    expect(told(cells)).toEqual([
      "m1 x done: done in time",
      "m1 y failed: aborted the run was aborted",
      "m1 z skipped: aborted",
    ]);
    expect(counts).toEqual({ total: 3, done: 1, failed: 1, skipped: 1 });
    expect(signals[0]!.aborted).toBe(true);
  });

  it("PLK-100 passes the signal on into the tools of its members", async () => {
    const controller = new AbortController();
    let heard: AbortSignal | undefined;
    const wait = tool("wait", (_args, { signal }) => {
      heard = signal;
      controller.abort();
      return "";
    });
    const call = { role: "assistant" as const, content: "", toolCalls: [{ id: "c", name: "wait", arguments: {} }] };
    const provider = scriptedProvider([{ message: call, stopReason: "toolUse" }, say("never")]);
    const runtime = createRuntime({ agents: [agent(provider, { customTools: [wait] })], ports: quietPorts() });
    const { cells } = await fleetOf([{ id: "m1", runtime }]).run({ targets: targets("x"), signal: controller.signal });
    expect(cells[0]).toMatchObject({ status: "failed", error: { code: "aborted" } });
    expect(heard!.aborted).toBe(true);
  });

  it("begins nothing when it was aborted before", async () => {
    const one = member("m1");
    const seen: FleetProgress[] = [];
    const run = {
      targets: targets("x", "y"),
      signal: AbortSignal.abort(),
      onProgress: (p: FleetProgress) => void seen.push(p),
    };
    expect(told((await fleetOf([one]).run(run)).cells)).toEqual(["m1 x skipped: aborted", "m1 y skipped: aborted"]);
    expect(told((await fleetOf([one]).run({ ...run, assign: "any" })).cells)).toEqual([
      "- x skipped: aborted",
      "- y skipped: aborted",
    ]);
    expect(one.runtime.goals).toEqual([]);
    expect(seen).toHaveLength(4);
  });

  it("does not wait out a rate, nor the places of another run", async () => {
    const clock = fixedClock(1_000_000);
    const controller = new AbortController();
    const fleet = fleetOf(
      [member("m1", (goal) => (goal === "long" ? clock.sleep(1_000).then(() => "late") : "at once"))],
      {
        ports: clock,
        rate: { perTarget: { calls: 1, perMs: 60_000 } },
      },
    );
    await clock.until(fleet.run({ targets: targets("x") }));
    const held = fleet.run({ targets: targets("x"), signal: controller.signal });
    controller.abort();
    expect(told((await held).cells)).toEqual(["m1 x skipped: aborted"]);
    expect(clock.pending).toBe(0);

    const again = new AbortController();
    const long = fleet.run({ targets: [{ id: "y", goal: "long" }] });
    const behind = fleet.run({ targets: targets("z"), signal: again.signal });
    again.abort();
    expect(told((await behind).cells)).toEqual(["m1 z skipped: aborted"]);
    expect(told((await clock.until(long)).cells)).toEqual(["m1 y done: late"]);
  });
});

describe("a destroyed fleet", () => {
  it("PLK-97 destroys every runtime, once, even if one throws, and warns of that", async () => {
    const ports = quietPorts();
    const members = [member("m1"), member("m2"), member("m3")];
    members[1]!.runtime.destroy = async () => Promise.reject(new Error("stuck"));
    members[2]!.runtime.destroy = () => {
      members[2]!.runtime.destroyed += 1;
      throw new Error("stuck too");
    };
    const fleet = fleetOf(members, { ports });
    await Promise.all([fleet.destroy(), fleet.destroy()]);
    await fleet.destroy();
    expect(members.map(({ runtime }) => runtime.destroyed)).toEqual([1, 0, 1]);
    expect(ports.warnings.sort()).toEqual([
      "playhead: destroying the runtime of member m2 failed: stuck",
      "playhead: destroying the runtime of member m3 failed: stuck too",
    ]);
    await expect(fleet.run({ targets: targets("x") })).rejects.toMatchObject({ code: "aborted" });
  });

  it("ends its runs first", async () => {
    const one = member("m1", () => new Promise<string>(() => undefined));
    const fleet = fleetOf([one]);
    const running = fleet.run({ targets: targets("x", "y") });
    await new Promise((resolve) => setImmediate(resolve));
    await fleet.destroy();
    expect(told((await running).cells)).toEqual(["m1 x failed: aborted the run was aborted", "m1 y skipped: aborted"]);
    expect(one.runtime.destroyed).toBe(1);
  });
});

describe("the breaker of a target", () => {
  it("opens for every member after failures in a row, lets one probe through, and closes when it succeeds", async () => {
    const clock = fixedClock(1_000_000);
    let isDown = true;
    const work: Work = (goal) => (isDown && goal === "do x" ? Promise.reject(new Error("down")) : goal);
    const members = [member("m1", work), member("m2", work), member("m3", work)];
    const fleet = fleetOf(members, { ports: clock, concurrency: 1, breaker: { failures: 2, cooldownMs: 100 } });
    const run = async () => told((await clock.until(fleet.run({ targets: targets("x", "y") }))).cells);

    expect(await run()).toEqual([
      "m1 x failed: unknown down",
      "m1 y done: do y",
      "m2 x failed: unknown down",
      "m2 y done: do y",
      "m3 x skipped: breaker-open",
      "m3 y done: do y",
    ]);
    clock.set(clock.now() + 100);
    expect((await run()).filter((line) => line.includes(" x "))).toEqual([
      "m1 x failed: unknown down",
      "m2 x skipped: breaker-open",
      "m3 x skipped: breaker-open",
    ]);
    clock.set(clock.now() + 100);
    isDown = false;
    expect((await run()).filter((line) => line.includes(" x "))).toEqual([
      "m1 x done: do x",
      "m2 x done: do x",
      "m3 x done: do x",
    ]);
  });

  it("counts neither a cell that was aborted nor one without a goal", async () => {
    const controller = new AbortController();
    const fleet = fleetOf(
      [
        member("m1", (goal) => {
          if (goal !== "stop") return goal;
          controller.abort();
          return new Promise<string>(() => undefined);
        }),
      ],
      { breaker: { failures: 1, cooldownMs: 1_000_000 } },
    );
    await fleet.run({ targets: [{ id: "x", goal: "stop" }], signal: controller.signal });
    await fleet.run({ targets: [{ id: "x", goal: (() => 1) as never }] });
    expect(told((await fleet.run({ targets: targets("x") })).cells)).toEqual(["m1 x done: do x"]);
  });
});

it("hands onProgress a copy, so that it changes no result", async () => {
  const tamper = ({ cell }: { cell: { status: string } }) => void (cell.status = "lost");
  const { cells } = await fleetOf([member("m1")]).run({ targets: targets("x"), onProgress: tamper as never });
  expect(told(cells)).toEqual(["m1 x done: m1: do x"]);
});

describe("the rate of a target", () => {
  it("holds back its cells, while the others go on", async () => {
    const clock = fixedClock(1_000_000);
    const starts: string[] = [];
    const work: Work = (goal) => {
      starts.push(`${goal} at ${clock.now() - 1_000_000}`);
      return goal;
    };
    const fleet = fleetOf([member("m1", work), member("m2", work), member("m3", work)], {
      ports: clock,
      concurrency: 1,
      rate: { perTarget: { calls: 2, perMs: 100 } },
    });
    const { counts } = await clock.until(fleet.run({ targets: targets("x", "y") }));
    expect(counts.done).toBe(6);
    const all = ["do x at 0", "do x at 0", "do x at 100", "do y at 0", "do y at 0", "do y at 100"];
    expect([...starts].sort()).toEqual(all);
    // Neither target waits for the other.
    expect(starts.slice(0, 4).every((start) => start.endsWith(" at 0"))).toBe(true);
  });

  it("is waited for without a place, however many ask for the same token at once", async () => {
    const clock = fixedClock(1_000_000);
    const starts: string[] = [];
    const work =
      (id: string): Work =>
      (goal) => {
        starts.push(`${id} ${goal} at ${clock.now() - 1_000_000}`);
        return clock.sleep(10).then(() => goal);
      };
    const fleet = fleetOf([member("m1", work("m1")), member("m2", work("m2"))], {
      ports: clock,
      concurrency: 2,
      rate: { perTarget: { calls: 1, perMs: 100 } },
    });
    await clock.until(fleet.run({ targets: targets("x", "y") }));
    expect(starts).toEqual(["m1 do x at 0", "m2 do y at 0", "m1 do y at 100", "m2 do x at 100"]);
  });

  it("goes on from where it was when the clock is set back", async () => {
    const clock = fixedClock(1_000_000);
    const fleet = fleetOf([member("m1")], { ports: clock, rate: { perTarget: { calls: 1, perMs: 100 } } });
    await clock.until(fleet.run({ targets: targets("x") }));
    clock.set(clock.now() - 900_000);
    const before = clock.now();
    const { cells } = await clock.until(fleet.run({ targets: targets("x") }));
    expect(clock.now() - before).toBe(100);
    expect(cells[0]).toMatchObject({ status: "done", startedAt: 1_000_100 });
  });
});

describe("retries", () => {
  it("are off by default, even for retryable errors", async () => {
    const { cells } = await fleetOf([member("m1", failing(busy()))]).run({ targets: targets("x") });
    expect(cells[0]).toMatchObject({ status: "failed", attempts: 1, error: { retryable: true } });
  });

  it("are for what is retryable alone, wait, and keep to the rate", async () => {
    const clock = fixedClock(1_000_000);
    const at: number[] = [];
    let left = 2;
    const flaky: Work = (goal) => {
      at.push(clock.now() - 1_000_000);
      return left-- > 0 ? Promise.reject(busy()) : goal;
    };
    const fleet = fleetOf([member("m1", flaky), member("m2", failing())], {
      ports: clock,
      retry: { attempts: 3, waitMs: 10 },
      rate: { perTarget: { calls: 2, perMs: 1_000 } },
    });
    const { cells } = await clock.until(fleet.run({ targets: targets("x") }));
    expect(cells).toMatchObject([
      { status: "done", attempts: 3, startedAt: 1_000_000, endedAt: 1_001_010 },
      { status: "failed", attempts: 1 },
    ]);
    expect(at).toEqual([0, 1_000, 1_010]);
  });

  it("end with the last failure when the attempts are used up, the breaker opens, or the fleet is aborted", async () => {
    const work = () => member("m1", failing(busy()));
    const run = { targets: targets("x") };
    const retry = { attempts: 3 };
    expect((await fleetOf([work()], { retry }).run(run)).cells[0]).toMatchObject({ status: "failed", attempts: 3 });
    const breaker = { failures: 2, cooldownMs: 1_000_000 };
    expect((await fleetOf([work()], { retry, breaker }).run(run)).cells[0]).toMatchObject({
      status: "failed",
      attempts: 2,
    });

    const clock = fixedClock(1_000_000);
    const controller = new AbortController();
    const fleet = fleetOf([work()], { retry: { attempts: 3, waitMs: 1_000 }, ports: clock });
    const running = fleet.run({ ...run, signal: controller.signal });
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect((await running).cells[0]).toMatchObject({ status: "failed", attempts: 1, error: { message: "busy" } });
  });
});

describe("options that can never work", () => {
  const runtime = (): AgentRuntime => fakeRuntime(() => "");
  const one = { id: "m1", runtime };

  it.each<[string, object]>([
    ["no members", { members: [] }],
    ["an unknown option", { members: [one], concurency: 2 }],
    ["an unknown option of a member", { members: [{ ...one, name: "x" }] }],
    ["a member without an id", { members: [{ runtime }] }],
    ["two members of one id", { members: [one, one] }],
    ["a member without a runtime", { members: [{ id: "m1" }] }],
    ["a function that makes no runtime", { members: [{ id: "m1", runtime: () => ({}) }] }],
    ["too many members", { members: Array.from({ length: 1_001 }, (_, index) => ({ id: `m${index}`, runtime })) }],
    ["no places", { members: [one], concurrency: 0 }],
    ["too many places", { members: [one], concurrency: 1_001 }],
    ["no places of its own", { members: [one], perMember: 0.5 }],
    ["a rate of nothing", { members: [one], rate: { perTarget: { calls: 0, perMs: 1 } } }],
    ["a rate for ever", { members: [one], rate: { perTarget: { calls: 1, perMs: 86_400_001 } } }],
    ["an unknown rate", { members: [one], rate: { perMember: { calls: 1, perMs: 1 } } }],
    ["a breaker that is always open", { members: [one], breaker: { failures: 0, cooldownMs: 1 } }],
    ["a breaker without its cooldown", { members: [one], breaker: { failures: 1 } }],
    ["an invalid retry", { members: [one], retry: { attempts: 1 } }],
  ])("are refused: %s", (_name, options) => {
    expect(() => createFleet(options as FleetOptions)).toThrow(expect.objectContaining({ code: "invalid-options" }));
  });

  it("are refused: one runtime for two members", () => {
    const shared = runtime();
    const members = ["m1", "m2"].map((id) => ({ id, runtime: shared }));
    expect(() => createFleet({ members })).toThrow("member m2 has another member's runtime");
  });

  it.each<[string, unknown, string, string]>([
    ["an AgentError", new AgentError("invalid-options", "no agents", { hint: "Add one." }), "no agents", "Add one."],
    ["another error", new TypeError("no key"), "no key", "See `cause`."],
    ["what has no text", Object.create(null), "something that has no text was thrown", "See `cause`."],
  ])("name the member whose function for a runtime throws %s", (_name, cause, text, hint) => {
    const broken = () => {
      throw cause;
    };
    const error = refusal(() => createFleet({ members: [one, { id: "m2", runtime: broken }] })) as AgentError;
    expect(error).toBeInstanceOf(AgentError);
    expect(error.code).toBe("invalid-options");
    expect(error.message).toBe(`the runtime of member m2 could not be made: ${text}`);
    expect(error.hint).toBe(hint);
    expect(error.cause).toBe(cause);
  });

  it.each<[string, object]>([
    ["no targets", { targets: [] }],
    ["no list of targets", {}],
    ["an unknown option", { targets: targets("x"), onprogress: 1 }],
    ["an unknown way", { targets: targets("x"), assign: "all" }],
    ["two targets of one id", { targets: targets("x", "x") }],
    ["a target without an id", { targets: [{ goal: "x" }] }],
    ["a target without a goal", { targets: [{ id: "x" }] }],
    ["too many cells", { targets: targets(...Array.from({ length: 5_001 }, (_, index) => `t${index}`)) }],
    [
      "too many targets",
      { targets: targets(...Array.from({ length: 10_001 }, (_, index) => `t${index}`)), assign: "any" },
    ],
  ])("of a run are refused: %s", async (_name, options) => {
    const fleet = fleetOf([member("m1"), member("m2")]);
    await expect(fleet.run(options as never)).rejects.toMatchObject({ code: "invalid-options" });
  });
});
