// The host in memory, beyond the contract: its options, its limits, its end, and what happens to who waits.

import { describe, expect, it } from "vitest";
import { MAX_ENDED_RUNS } from "../../../../src/core/limits.js";
import type { ExecutionHost, NewRun } from "../../../../src/core/index.js";
import { createInMemoryExecutionHost } from "../../../../src/core/session/index.js";
import { fixedClock } from "../../../../src/harness/doubles/clock.js";
import { BARE_CALLS } from "../../../support/execution.js";
import { refusal, rejection } from "../../../support/refusal.js";

const newRun = (runId: string, fields: Partial<NewRun> = {}): NewRun => ({
  ...{ runId, kind: "user-turn", ownerNamespace: "a", sessionKey: "s", rootRunId: runId },
  ...fields,
});
const scope = { ownerNamespace: "a", sessionKey: "s", kind: "user-turn" } as const;
const lease = { leaseId: "L", leaseMs: 1_000, ownerNamespace: "a" };

describe("createInMemoryExecutionHost", () => {
  it("PSS-73 PSS-74 PSS-79 is recognised by its scheduler and its store, and says what it can do", () => {
    const host = createInMemoryExecutionHost();
    expect(Object.keys(host).sort()).toEqual([
      ...["capabilities", "close", "leaseMs", "maxAttempts", "scheduler", "store"],
    ]);
    expect(Object.keys(host.store).sort()).toEqual([
      ...["checkpoints", "events", "notifications", "runs", "sessions", "transaction"],
    ]);
    expect(host).not.toHaveProperty("sessionStore");
  });

  it("PSS-75 PSS-77 PSS-125 works in this process, with leases of five minutes and ten attempts, unless it is told otherwise", () => {
    const { capabilities, leaseMs, maxAttempts } = createInMemoryExecutionHost();
    expect({ capabilities, leaseMs, maxAttempts }).toEqual({
      ...{ capabilities: { backgroundSubagents: "in-process" }, leaseMs: 300_000, maxAttempts: 10 },
    });
  });

  it("PSS-75 may say that it is durable, for tests", () => {
    const options = { backgroundSubagents: "durable", leaseMs: 5, maxAttempts: 2 } as const;
    const { capabilities, leaseMs, maxAttempts } = createInMemoryExecutionHost(options);
    expect([capabilities, leaseMs, maxAttempts]).toEqual([{ backgroundSubagents: "durable" }, 5, 2]);
  });

  it.each<[unknown, string]>([
    [null, "the options of createInMemoryExecutionHost are null"],
    [{ sessionStore: {} }, "createInMemoryExecutionHost has an unknown option: sessionStore"],
    [{ backgroundSubagents: true }, "backgroundSubagents of createInMemoryExecutionHost is true"],
    [{ onResume: "x" }, 'onResume of createInMemoryExecutionHost is "x"'],
    [{ leaseMs: 0 }, "leaseMs of createInMemoryExecutionHost is 0"],
    [{ maxAttempts: 1.5 }, "maxAttempts of createInMemoryExecutionHost is 1.5"],
    [{ ports: { now: 1 } }, "createInMemoryExecutionHost: ports.now is 1: pass a function, or omit it"],
  ])("PSS-72 PSS-75 refuses the options %j", (options, message) => {
    const error = refusal(() => createInMemoryExecutionHost(options as never));
    expect(error).toMatchObject({ code: "invalid-options", message });
    expect((error as { hint: string }).hint).not.toBe("");
  });
});

describe("a clock that goes back", () => {
  it("reorders no runs, and ends no lease", async () => {
    let now = 1_000;
    const { store } = createInMemoryExecutionHost({ ports: { now: () => now } });
    await store.runs.create(newRun("first"));
    now = 10;
    await store.runs.create(newRun("second"));
    expect(await store.runs.claim("second", lease)).toEqual({ ok: false, reason: "session-busy" });
    expect((await store.runs.claim("first", lease)).ok).toBe(true);
    now = 999;
    expect(await store.runs.claim("first", { ...lease, leaseId: "L2" })).toEqual({ ok: false, reason: "leased" });
  });
});

describe("PSS-145 a transaction", () => {
  it("is refused to a call that comes after it", async () => {
    const { store } = createInMemoryExecutionHost();
    let kept: ExecutionHost["store"]["runs"] | undefined;
    await store.transaction(async ({ runs }) => void (kept = runs));
    expect(await rejection(kept?.get("r") as Promise<unknown>)).toMatchObject({
      code: "store-failed",
      message: "the transaction has ended",
    });
  });

  it("that asks the store outside of it ends after 30 seconds, keeps nothing, and lets the others go on", async () => {
    const clock = fixedClock();
    const { store } = createInMemoryExecutionHost({ ports: clock });
    const work = store.transaction(async (tx) => {
      await tx.runs.create(newRun("inside"));
      await store.runs.create(newRun("outside"));
    });
    const ended = rejection(work);
    await clock.advance(30_000);
    expect(await ended).toMatchObject({ code: "store-failed", retryable: true });
    expect(await store.runs.get("inside")).toBeNull();
    await clock.advance(1_000);
    expect((await store.runs.create(newRun("later"))).ok).toBe(true);
  });

  it("waits for the ones before it, in their order", async () => {
    const { store } = createInMemoryExecutionHost();
    const order: number[] = [];
    const works = [1, 2, 3].map((number) =>
      store.transaction(async (tx) => {
        await tx.runs.get("r");
        await tx.runs.get("r");
        order.push(number);
      }),
    );
    await Promise.all(works);
    expect(order).toEqual([1, 2, 3]);
  });
});

describe("what the host keeps", () => {
  it("PSS-61 is frozen, and shares what was frozen already", async () => {
    const { store } = createInMemoryExecutionHost();
    await store.sessions.commit("s", { state: { list: [{ text: "x" }] } }, { expectedVersion: null });
    const stored = await store.sessions.load("s");
    expect(Object.isFrozen((stored?.state as unknown as { list: object[] }).list[0])).toBe(true);
    expect((await store.sessions.load("s"))?.state).toBe(stored?.state);
  });

  it("names the value that it refuses, and what to do", async () => {
    const { store } = createInMemoryExecutionHost();
    const commit = (state: unknown) => store.sessions.commit("s", { state: state as never }, { expectedVersion: null });
    expect(await rejection(commit({ at: [NaN] }))).toMatchObject({
      message: 'the store cannot keep the state of session "s": a number that is not finite at /at/0 is not plain JSON',
      hint: "Pass plain JSON.",
    });
    expect(((await rejection(commit("x".repeat(8 * 1024 * 1024)))) as Error).message).toBe(
      'the store cannot keep the state of session "s": it has 8388610 bytes of canonical JSON, and the limit is 8388608',
    );
    expect(await rejection(store.runs.get("x".repeat(1_025)))).toMatchObject({
      message: "the store cannot keep runId 1025 characters",
      hint: "Pass well-formed text of 1 to 1024 characters.",
    });
    expect(await rejection(store.runs.create(newRun("r"), { readyAfterMs: -1 }))).toMatchObject({
      message: "readyAfterMs is -1",
    });
  });
});

describe("watching a run", () => {
  it("goes on for the others when one of them throws", async () => {
    const warnings: string[] = [];
    const { store } = createInMemoryExecutionHost({ ports: { warn: (text) => warnings.push(text) } });
    await store.runs.create(newRun("r"));
    const seen: string[] = [];
    store.runs.watch?.("r", () => {
      throw new Error("mine");
    });
    store.runs.watch?.("r", (status) => seen.push(status));
    expect((await store.runs.claim("r", lease)).ok).toBe(true);
    expect(seen).toEqual(["leased"]);
    expect(warnings).toEqual(["playhead: a watcher of a run threw: mine"]);
  });

  it("tells a transaction's status once, however often it changed", async () => {
    const { store } = createInMemoryExecutionHost();
    await store.runs.create(newRun("r"));
    const seen: string[] = [];
    store.runs.watch?.("r", (status) => seen.push(status));
    await store.transaction(async ({ runs }) => {
      await runs.claim("r", lease);
      await runs.update("r", { status: "running" }, {});
      await runs.update("r", { status: "completed" }, {});
    });
    expect(seen).toEqual(["completed"]);
  });
});

it.each(BARE_CALLS)("PSS-109 says what a call of %s lacks", async (method, call) => {
  expect(await rejection(call(createInMemoryExecutionHost()))).toMatchObject({
    code: "store-failed",
    message: expect.stringMatching(`^${method}\\(.*\\) was called with undefined in place of an object$`) as string,
  });
});

describe("what a host in memory forgets", () => {
  async function endAll(host: ExecutionHost, ids: readonly string[], fields: Partial<NewRun> = {}): Promise<void> {
    for (const runId of ids) {
      await host.store.runs.create(newRun(runId, fields));
      await host.store.runs.update(runId, { status: "completed" }, {});
    }
  }
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`);

  it("is the oldest run that has ended, with all that belongs to it, so that it takes new ones for ever", async () => {
    const host = createInMemoryExecutionHost();
    const { runs, events, notifications } = host.store;
    await runs.create(newRun("first", { kind: "notification", dedupeKey: "once" }));
    await events.append("first", [{ type: "turn-end" }], { firstOffset: 0 });
    const notice = { notificationId: "n", idempotencyKey: "k", ownerNamespace: "a", sessionKey: "s", runId: "first" };
    await notifications.enqueue({ ...notice, taskIds: [], input: "x" });
    await notifications.settle("n", { status: "cancelled" });
    await runs.update("first", { status: "completed" }, {});
    await endAll(host, ids(MAX_ENDED_RUNS - 1));
    expect(await runs.getByDedupeKey("a", "once")).toMatchObject({ runId: "first" });
    await endAll(host, ["last"]);
    expect(await runs.get("first")).toBe(null);
    expect(await runs.getByDedupeKey("a", "once")).toBe(null);
    expect(await notifications.getByRunId("first")).toBe(null);
    expect(await runs.get("r0")).toMatchObject({ status: "completed" });
    expect(await runs.create(newRun("again", { dedupeKey: "once" }))).toMatchObject({ ok: true });
    const read = [];
    for await (const event of events.read("first")) read.push(event);
    expect(read).toEqual([]);
  });

  it("is not a run whose parent is open, and comes back with a transaction that is undone", async () => {
    const host = createInMemoryExecutionHost();
    const { runs } = host.store;
    await runs.create(newRun("parent", { sessionKey: "p" }));
    await endAll(host, ["child"], { parentRunId: "parent", parentSessionKey: "p", publicTaskId: "bg_1" });
    await endAll(host, ids(MAX_ENDED_RUNS));
    expect(await runs.getByTaskId("a", "p", "bg_1")).toMatchObject({ runId: "child" });
    expect(await runs.get("r0")).toBe(null);
    const undone = host.store.transaction(async (tx) => {
      await tx.runs.create(newRun("more"));
      await tx.runs.update("more", { status: "error" }, {});
      expect(await tx.runs.get("r1")).toBe(null);
      throw new Error("undo");
    });
    expect(await rejection(undone)).toMatchObject({ message: "undo" });
    expect(await runs.get("r1")).toMatchObject({ status: "completed" });
    expect((await runs.listByParentRunId("parent")).map(({ runId }) => runId)).toEqual(["child"]);
  });
});

describe("delivery", () => {
  it("does not begin before the call that enqueued has returned, and survives a function that throws", async () => {
    const clock = fixedClock();
    const warnings: string[] = [];
    const delivered: string[] = [];
    const host = createInMemoryExecutionHost({
      onResume: (runId) => {
        delivered.push(runId);
        throw new Error("mine");
      },
      ports: { ...clock, warn: (text) => warnings.push(text) },
    });
    await host.store.runs.create(newRun("r"));
    await host.scheduler.enqueueRun("r", scope);
    expect(delivered).toEqual([]);
    await clock.advance(0);
    expect(delivered).toEqual(["r"]);
    expect(warnings).toEqual(['playhead: onResume threw for run "r": mine']);
  });

  it("sets no timer without a function to call, or without an open run", async () => {
    const clock = fixedClock();
    const idle = createInMemoryExecutionHost({ ports: clock });
    await idle.store.runs.create(newRun("r"));
    await idle.scheduler.enqueueRun("r", scope);
    const busy = createInMemoryExecutionHost({ ports: clock, onResume: () => undefined });
    expect(clock.pending).toBe(0);
    await busy.store.runs.create(newRun("r"));
    expect(clock.pending).toBe(1);
    await busy.store.runs.update("r", { status: "cancelled" }, {});
    await clock.advance(5_000);
    expect(clock.pending).toBe(0);
  });

  it("stops with the host, which may be closed twice", async () => {
    const clock = fixedClock();
    const host = createInMemoryExecutionHost({ ports: clock, onResume: () => undefined });
    await host.store.runs.create(newRun("r"));
    await host.scheduler.enqueueRun("r", { ...scope, runAfterMs: 60_000 });
    await host.close();
    await host.close();
    expect(clock.pending).toBe(0);
    expect(await rejection(host.store.runs.get("r"))).toMatchObject({
      code: "store-failed",
      message: "the in-memory execution host is closed",
      retryable: false,
    });
  });
});
