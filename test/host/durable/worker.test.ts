import { describe, expect, it, vi } from "vitest";
import type { Delivery } from "../../../src/core/index.js";
import type { DurableHost } from "../../../src/host/durable/host.js";
import { sweep } from "../../../src/host/durable/sweep.js";
import type { SqlStore } from "../../../src/host/sql/store.js";
import { durableHosts, handClock, lease, userTurn } from "../../support/durable-host.js";
import { PATIENCE } from "../../support/patience.js";

const hosts = durableHosts();
const accessOf = (host: DurableHost) => (host.store as SqlStore).access;

/** Claims and ends a run, like the worker of an agent. */
async function execute({ store }: DurableHost, runId: string): Promise<Delivery> {
  const claimed = await store.runs.claim(runId, lease(`lease-${Math.random()}`, 60_000));
  if (!claimed.ok) return { kind: "skipped" };
  await store.runs.update(runId, { status: "completed" }, {});
  return { kind: "done" };
}

const failed = (retryable: boolean): Delivery => ({
  kind: "failed",
  error: { code: "provider-http", message: "no", retryable },
});

describe("a worker", () => {
  it("PSS-49 PSS-85 delivers each run of its namespaces in the order of the session, and leaves the others", async () => {
    const host = await hosts.open();
    const ended: string[] = [];
    for (const runId of ["a1", "a2", "a3"]) await host.store.runs.create(userTurn(runId));
    await host.store.runs.create(userTurn("b1", { sessionKey: "ben" }));
    await host.store.runs.create(userTurn("x1", { ownerNamespace: "other" }));
    const told: string[] = [];
    host.work({
      namespaces: ["shop"],
      deliver: async (runId, { kind, sessionKey, ownerNamespace }) => {
        told.push(`${kind} ${sessionKey} ${ownerNamespace}`);
        const outcome = await execute(host, runId);
        if (outcome.kind === "done") ended.push(runId);
        return outcome;
      },
    });
    await vi.waitFor(() => expect([...ended].sort()).toEqual(["a1", "a2", "a3", "b1"]), PATIENCE);
    expect(ended.filter((runId) => runId.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
    expect(new Set(told)).toEqual(new Set(["user-turn ann shop", "user-turn ben shop"]));
    expect((await host.store.runs.get("x1"))?.status).toBe("queued");
  });

  it("runs no more deliveries at once than it may", async () => {
    const host = await hosts.open();
    for (let index = 0; index < 8; index++)
      await host.store.runs.create(userTurn(`r${index}`, { sessionKey: `s${index}` }));
    let most = 0;
    let running = 0;
    let done = 0;
    let fill: () => void = () => undefined;
    const isFull = new Promise<void>((resolve) => (fill = resolve));
    host.work({
      ...{ namespaces: ["shop"], concurrency: 2 },
      deliver: async (runId) => {
        most = Math.max(most, ++running);
        // The first delivery waits for another one at its side.
        if (running === 2) fill();
        await isFull;
        const outcome = await execute(host, runId);
        running--;
        done++;
        return outcome;
      },
    });
    await vi.waitFor(() => expect(done).toBe(8), PATIENCE);
    expect(most).toBe(2);
  });

  it.each([
    ["a throw", () => Promise.reject(new Error("no")), 1_000],
    ["a retryable failure", async () => failed(true), 1_000],
    ["a failure that is not retryable", async () => failed(false), 60_000],
    ["an answer that is not a delivery", async () => undefined as never, 1_000],
  ])(
    "delivers a run again after %s, when its wait has passed",
    async (_name, deliver: () => Promise<Delivery>, waitMs) => {
      const clock = handClock();
      const host = await hosts.open({ ports: { now: clock.now } });
      await host.store.runs.create(userTurn("a"));
      const outcomes: Delivery[] = [];
      const worker = host.work({ namespaces: ["shop"], deliver, onDelivery: ({ outcome }) => outcomes.push(outcome) });
      await vi.waitFor(() => expect(outcomes).toHaveLength(1), PATIENCE);
      expect(outcomes[0]?.kind).toBe("failed");
      const [row] = await accessOf(host).read((sql) => sql.all("SELECT due_at, failures FROM runs"));
      expect(row?.failures).toBe(1);
      expect(Number(row?.due_at) - clock.now()).toBeGreaterThanOrEqual(waitMs);
      expect(Number(row?.due_at) - clock.now()).toBeLessThan(waitMs + 250);
      clock.pass(waitMs + 250);
      await vi.waitFor(() => expect(outcomes).toHaveLength(2), PATIENCE);
      await worker.stop();
    },
  );

  it("PSS-86 delivers a suspended run again at once", async () => {
    const host = await hosts.open();
    await host.store.runs.create(userTurn("a"));
    let steps = 0;
    host.work({
      namespaces: ["shop"],
      deliver: async (runId) => {
        await host.store.runs.claim(runId, lease("l"));
        const isLast = ++steps === 3;
        await host.store.runs.update(runId, { status: isLast ? "completed" : "suspended" }, { leaseId: "l" });
        return { kind: isLast ? "done" : "suspended" };
      },
    });
    await vi.waitFor(async () => expect((await host.store.runs.get("a"))?.status).toBe("completed"), PATIENCE);
    expect(steps).toBe(3);
  });

  it("delivers what another host of the file accepts, a delayed run when it is ready", async () => {
    const clock = handClock();
    const file = hosts.file();
    const ports = { now: clock.now };
    const [giver, taker] = [await hosts.open({ ports }, file), await hosts.open({ ports }, file)];
    const done: string[] = [];
    taker.work({
      namespaces: ["shop"],
      deliver: async (runId) => {
        done.push(runId);
        return execute(taker, runId);
      },
    });
    await giver.store.runs.create(userTurn("later"), { readyAfterMs: 5_000 });
    await giver.store.runs.create(userTurn("now"));
    await vi.waitFor(() => expect(done).toEqual(["now"]), PATIENCE);
    clock.pass(5_000);
    await vi.waitFor(() => expect(done).toEqual(["now", "later"]), PATIENCE);
  });

  it("PSS-51 executes each run once, however many hosts and deliveries there are", async () => {
    const file = hosts.file();
    const all = [await hosts.open({}, file), await hosts.open({}, file), await hosts.open({}, file)];
    const [first] = all as [DurableHost];
    const executed: string[] = [];
    for (const host of all) {
      host.work({
        namespaces: ["shop"],
        deliver: async (runId) => {
          const outcome = await execute(host, runId);
          if (outcome.kind === "done") executed.push(runId);
          return outcome;
        },
      });
    }
    const ids = Array.from({ length: 30 }, (_, index) => `r${index}`);
    for (const [index, runId] of ids.entries()) {
      await first.store.runs.create(userTurn(runId, { sessionKey: `s${index % 4}` }));
      await first.scheduler.enqueueRun(runId, {
        ownerNamespace: "shop",
        sessionKey: `s${index % 4}`,
        kind: "user-turn",
      });
    }
    await vi.waitFor(() => expect([...executed].sort()).toEqual([...ids].sort()), PATIENCE);
  });

  it("lets deliveries end when it stops, then fires their signals, and leaves the rest to other workers", async () => {
    const host = await hosts.open();
    for (const runId of ["a", "b"]) await host.store.runs.create(userTurn(runId, { sessionKey: runId }));
    const order: string[] = [];
    const worker = host.work({
      ...{ namespaces: ["shop"], concurrency: 1 },
      deliver: (runId, { signal }) =>
        new Promise((resolve) => {
          order.push(`begin ${runId}`);
          signal.addEventListener("abort", () => {
            order.push(`signal ${runId}`);
            resolve({ kind: "suspended" });
          });
        }),
    });
    await vi.waitFor(() => expect(worker.running).toBe(1), PATIENCE);
    for (const graceMs of [Infinity, NaN, -1])
      await expect(worker.stop({ graceMs })).rejects.toMatchObject({ code: "invalid-options" });
    expect(worker.running).toBe(1);
    await worker.stop({ graceMs: 1 });
    expect(order).toEqual(["begin a", "signal a"]);
    expect(worker.running).toBe(0);
    const rest: string[] = [];
    host.work({
      namespaces: ["shop"],
      deliver: async (runId) => {
        rest.push(runId);
        return execute(host, runId);
      },
    });
    await vi.waitFor(() => expect(rest).toContain("b"), PATIENCE);
  });

  it.each([
    ["no namespaces", { namespaces: [] }],
    ["a namespace that is empty", { namespaces: [""] }],
    ["no places", { concurrency: 0 }],
    ["no function", { deliver: 1 }],
    ["an unknown option", { places: 1 }],
    ["no listener", { onDelivery: 1 }],
  ])("refuses %s", async (_name, wrong) => {
    const host = await hosts.open();
    const right = { namespaces: ["shop"], deliver: async () => failed(true) };
    expect(() => host.work({ ...right, ...wrong } as never)).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
  });
});

describe("the sweep", () => {
  it.each([
    ["was never set", "due_at = NULL"],
    ["a clock that was set back has put off", "due_at = due_at + 3600000"],
  ])("makes a head due whose due time %s", async (_name, damage) => {
    const clock = handClock();
    const host = await hosts.open({ ports: { now: clock.now } });
    await host.store.runs.create(userTurn("a"));
    await host.store.runs.create(userTurn("b"));
    await accessOf(host).write((sql) => sql.run(`UPDATE runs SET ${damage}`));
    await sweep(accessOf(host));
    const rows = await accessOf(host).read((sql) => sql.all("SELECT due_at FROM runs ORDER BY seq"));
    expect(rows.map((row) => row.due_at)).toEqual([clock.now(), null]);
  });

  it("leaves claimed, held and delayed runs alone", async () => {
    const clock = handClock();
    const host = await hosts.open({ ports: { now: clock.now } });
    await host.store.runs.create(userTurn("claimed", { sessionKey: "1" }));
    await host.store.runs.claim("claimed", lease("l", 300_000));
    await host.store.runs.create(userTurn("held", { sessionKey: "2" }), { hold: { leaseId: "h", leaseMs: 300_000 } });
    await host.store.runs.create(userTurn("delayed", { sessionKey: "3" }), { readyAfterMs: 300_000 });
    await sweep(accessOf(host));
    const rows = await accessOf(host).read((sql) => sql.all("SELECT due_at FROM runs"));
    expect(rows.map((row) => row.due_at)).toEqual(rows.map(() => clock.now() + 300_000));
  });
});

describe("a host that closes", () => {
  it("gives its leases and holds back, and another host's worker goes on", async () => {
    const file = hosts.file();
    const [first, second] = [await hosts.open({}, file), await hosts.open({}, file)];
    await first.store.runs.create(userTurn("a"), { hold: { leaseId: "mine", leaseMs: 300_000 } });
    await first.store.runs.create(userTurn("b", { sessionKey: "ben" }));
    await first.store.runs.claim("b", lease("mine", 300_000));
    expect(await second.store.runs.claim("a", lease("l"))).toMatchObject({ reason: "leased" });
    const done: string[] = [];
    second.work({
      namespaces: ["shop"],
      deliver: async (runId) => {
        const outcome = await execute(second, runId);
        if (outcome.kind === "done") done.push(runId);
        return outcome;
      },
    });
    await first.close();
    await first.close();
    await vi.waitFor(() => expect(done.sort()).toEqual(["a", "b"]), PATIENCE);
    await expect(first.store.runs.get("a")).rejects.toMatchObject({ code: "store-failed", retryable: false });
    expect(() => first.work({ namespaces: ["shop"], deliver: async () => failed(true) })).toThrow("closed");
  });

  it("can be ended by hand with `evict`", async () => {
    const file = hosts.file();
    const [first, second] = [await hosts.open({}, file), await hosts.open({}, file)];
    await first.store.runs.create(userTurn("a"));
    await first.store.runs.claim("a", lease("old", 300_000));
    expect(await second.admin.evict(first.hostId)).toBe(1);
    expect(await second.store.runs.claim("a", lease("new"))).toMatchObject({ ok: true, record: { attempt: 2 } });
    expect(await first.store.runs.update("a", { status: "completed" }, { leaseId: "old" })).toMatchObject({
      reason: "lost-lease",
    });
  });
});
