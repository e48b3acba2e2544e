import { describe, expect, it } from "vitest";
import { storeFailed } from "../../../src/core/index.js";
import { createFleet } from "../../../src/host/fleet.js";
import type { FleetCell } from "../../../src/host/fleet/cell.js";
import type { FleetCellContext, FleetOptions, FleetRunOptions } from "../../../src/host/fleet/options.js";
import type { CellClaim, FleetJob, FleetPlan, FleetStore } from "../../../src/host/fleet/store.js";
import { handClock } from "../../support/durable-host.js";
import { openMemoryFleets } from "../../support/fleet-store.js";
import { fakeRuntime, told } from "../../support/fleet.js";

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`);
const targets = (count: number) => ids(count).map((id) => ({ id, goal: id }));
const plan = (count: number, more: Partial<FleetPlan> = {}): FleetPlan => ({
  ...{ id: "job", hash: "h", rate: undefined, limitUsd: undefined },
  cells: ids(count).map((target, id) => ({ id, target, member: "ann" })),
  ...more,
});
const done = (target: string, costUsd = 0): FleetCell => ({
  ...{ status: "done", member: "ann", target, attempts: 1, startedAt: 1, endedAt: 2 },
  result: {
    agentId: "ann",
    finalAnswer: target,
    turns: 1,
    toolCalls: 0,
    usage: { inputTokens: 1, outputTokens: 1, costUsd },
  },
});
const claimOf = async (job: FleetJob): Promise<CellClaim & { kind: "claimed" }> => {
  const claim = await job.claim("ann");
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  return claim;
};
const resultsOf = async (store: FleetStore): Promise<FleetCell[]> => {
  const cells = [];
  for await (const cell of store.results("job")) cells.push(cell);
  return cells;
};

/** A promise that a test resolves. */
function signal() {
  let fire = (): void => undefined;
  const fired = new Promise<void>((resolve) => (fire = resolve));
  return { fired, fire: () => fire() };
}

describe("a job in a store", () => {
  it("gives each cell to one machine, and says when there is none", async () => {
    const store = await openMemoryFleets();
    const [first, second] = [await store.open(plan(3)), await store.open(plan(3))];
    const claims = [await claimOf(first), await claimOf(second), await claimOf(first)];
    expect(claims.map(({ id, attempt }) => `${id} ${attempt}`)).toEqual(["0 1", "1 1", "2 1"]);
    expect(await second.claim("ann")).toMatchObject({ kind: "later" });
    expect(await second.claim("bob")).toEqual({ kind: "empty" });
    expect(await store.counts("job")).toMatchObject({ total: 3, running: 3, waiting: 0 });
    for (const [index, claim] of claims.entries())
      await [first, second, first][index]?.settle(claim, done(`t${index}`));
    expect(await first.claim("ann")).toEqual({ kind: "empty" });
    expect(told(await resultsOf(store))).toEqual(["ann t0 done: t0", "ann t1 done: t1", "ann t2 done: t2"]);
  });

  it("gives a cell of a silent machine to another, and refuses what the silent one stores later", async () => {
    const { now, pass } = handClock();
    const store = await openMemoryFleets(10_000, now);
    const [frozen, live] = [await store.open(plan(1)), await store.open(plan(1))];
    const stale = await claimOf(frozen);
    pass(6_000);
    await frozen.renew([stale]);
    pass(6_000);
    expect(await live.claim("ann")).toMatchObject({ kind: "later" });
    pass(4_000);
    const taken = await claimOf(live);
    expect(taken).toMatchObject({ id: 0, attempt: 2 });
    await frozen.renew([stale]);
    await frozen.release(stale);
    expect(await frozen.settle(stale, done("late"))).toBeUndefined();
    expect(await store.counts("job")).toMatchObject({ running: 1 });
    expect(await live.settle(taken, done("first"))).toMatchObject({ target: "first" });
    expect(await frozen.settle(stale, done("late"))).toMatchObject({ target: "first" });
    expect(await store.counts("job")).toMatchObject({ done: 1 });
  });

  it("fails a cell that has lost five workers", async () => {
    const { now, pass } = handClock();
    const store = await openMemoryFleets(1_000, now);
    const job = await store.open(plan(1));
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(await job.claim("ann")).toMatchObject({ attempt });
      pass(1_000);
    }
    expect(await job.claim("ann")).toEqual({ kind: "empty" });
    expect(await resultsOf(store)).toMatchObject([{ status: "failed", attempts: 5, error: { code: "lost" } }]);
  });

  it("never has more runs on a target in a window than its rate", async () => {
    const { now, pass } = handClock();
    const store = await openMemoryFleets(30_000, now);
    const rate = { calls: 2, perMs: 1_000 };
    const cells = [...["x", "x", "x"], "y"].map((target, id) => ({ id, target, member: "ann" }));
    const [first, second] = [await store.open(plan(0, { cells, rate })), await store.open(plan(0, { cells, rate }))];
    expect((await claimOf(first)).id).toBe(0);
    pass(400);
    expect((await claimOf(second)).id).toBe(1);
    expect((await claimOf(first)).id).toBe(3);
    expect(await second.claim("ann")).toMatchObject({ kind: "later" });
    expect(await second.takeToken("x")).toBe(600);
    pass(600);
    expect((await claimOf(second)).id).toBe(2);
    expect(await first.takeToken("x")).toBe(400);
    expect(await first.takeToken("y")).toBe(0);
  });

  it("begins no cell once the settled ones cost as much as the limit", async () => {
    const store = await openMemoryFleets();
    const job = await store.open(plan(4, { limitUsd: 0.3 }));
    const [first, second] = [await claimOf(job), await claimOf(job)];
    await job.settle(first, done("t0", 0.1));
    const third = await claimOf(job);
    await job.settle(second, done("t1", 0.2));
    expect(await job.claim("ann")).toMatchObject({ kind: "later" });
    await job.settle(third, done("t2", 0.1));
    expect(await job.claim("ann")).toEqual({ kind: "empty" });
    expect(told(await resultsOf(store)).at(-1)).toBe("ann t3 skipped: budget");
  });

  it("refuses another plan, and forgets a job that is removed", async () => {
    const store = await openMemoryFleets();
    const job = await store.open(plan(1));
    await expect(store.open(plan(1, { hash: "other" }))).rejects.toMatchObject({ code: "invalid-options" });
    await store.remove("job");
    await expect(job.claim("ann")).rejects.toMatchObject({ code: "store-failed", retryable: false });
    await expect(store.counts("job")).rejects.toMatchObject({ code: "store-failed" });
    await store.open(plan(2, { hash: "other" }));
    expect(await store.counts("job")).toMatchObject({ total: 2, waiting: 2 });
  });

  it("skips what waits when it is cancelled, also what is released later", async () => {
    const store = await openMemoryFleets();
    const job = await store.open(plan(3));
    const [kept, released] = [await claimOf(job), await claimOf(job)];
    await store.cancel("job");
    await job.settle(kept, done("t0"));
    await job.release(released);
    expect(await job.claim("ann")).toEqual({ kind: "empty" });
    expect(told(await resultsOf(store))).toEqual([
      "ann t0 done: t0",
      "ann t1 skipped: aborted",
      "ann t2 skipped: aborted",
    ]);
  });

  it("keeps the steps of a cell for its next worker, and none of a worker that lost it", async () => {
    const { now, pass } = handClock();
    const store = await openMemoryFleets(1_000, now);
    const job = await store.open(plan(1));
    const stale = job.steps(await claimOf(job));
    expect(await stale("turn:1", async () => ({ text: "hi" }))).toEqual({ text: "hi" });
    pass(1_000);
    const other = await store.open(plan(1));
    const lease = await claimOf(other);
    await expect(stale("turn:2", async () => 1)).rejects.toMatchObject({ code: "lease-lost" });
    const next = other.steps(lease);
    expect(await next("turn:1", async () => expect.unreachable())).toEqual({ text: "hi" });
    expect(await next("turn:2", async () => undefined)).toBeUndefined();
    expect(await next("turn:2", async () => expect.unreachable())).toBeUndefined();
  });
});

describe("fleets with one store", () => {
  const machine = (store: FleetStore, log: string[], more: Partial<FleetOptions> = {}) =>
    createFleet({
      members: ["ann", "bob"].map((id) => ({
        id,
        runtime: fakeRuntime((goal) => {
          log.push(`${id} ${goal}`);
          return `answer to ${goal}`;
        }),
      })),
      ...more,
      store,
    });

  it("run each cell once between them, and all have the same results", async () => {
    const store = await openMemoryFleets();
    const log: string[] = [];
    const fleets = [machine(store, log), machine(store, log), machine(store, log)];
    const runs = await Promise.all(fleets.map((fleet) => fleet.run({ id: "job", targets: targets(10) })));
    expect(log.length).toBe(20);
    expect(new Set(log).size).toBe(20);
    const [first, ...others] = runs.map(({ cells }) => JSON.stringify(cells));
    for (const other of others) expect(other).toBe(first);
    expect(runs.map(({ counts }) => counts.done)).toEqual([20, 20, 20]);
    // A later start finds the results.
    const late = await machine(store, log).run({ id: "job", targets: targets(10) });
    expect(JSON.stringify(late.cells)).toBe(first);
    expect(log.length).toBe(20);
  });

  it("let one machine abort, and the others run its cells", async () => {
    const store = await openMemoryFleets();
    const log: string[] = [];
    const stop = new AbortController();
    const stuck = createFleet({
      store,
      members: ["ann", "bob"].map((id) => ({
        id,
        runtime: fakeRuntime(() => {
          stop.abort();
          return new Promise<string>(() => undefined);
        }),
      })),
    });
    const aborted = await stuck.run({ id: "job", targets: targets(2), signal: stop.signal });
    expect(aborted.cells[0]).toMatchObject({ status: "failed", error: { code: "aborted" } });
    expect(aborted.counts.skipped).toBeGreaterThanOrEqual(2);
    const { counts } = await machine(store, log).run({ id: "job", targets: targets(2) });
    expect(counts).toEqual({ total: 4, done: 4, failed: 0, skipped: 0 });
  });

  it("refuse a wrong id, limit or store, and another plan", async () => {
    const store = await openMemoryFleets();
    const fleet = machine(store, []);
    const refusals: FleetRunOptions[] = [
      { targets: targets(1) },
      { id: "", targets: targets(1) },
      { id: "job", targets: targets(1), limit: { costUsd: -1 } },
    ];
    for (const options of refusals) await expect(fleet.run(options)).rejects.toMatchObject({ code: "invalid-options" });
    await fleet.run({ id: "job", targets: targets(1) });
    await expect(fleet.run({ id: "job", targets: targets(2) })).rejects.toMatchObject({ code: "invalid-options" });
    const alone = createFleet({ members: [{ id: "ann", runtime: fakeRuntime(() => "") }] });
    await expect(alone.run({ targets: targets(1), limit: { costUsd: 1 } })).rejects.toThrow("without a store");
    expect(() => machine({} as FleetStore, [])).toThrow("store of fleets");
  });

  it("reject when the store fails for good", async () => {
    const store = await openMemoryFleets();
    const log: string[] = [];
    const fleet = createFleet({
      store,
      members: [{ id: "ann", runtime: fakeRuntime(async () => (await store.remove("job"), "")) }],
    });
    await expect(fleet.run({ id: "job", targets: targets(2) })).rejects.toMatchObject({ code: "store-failed" });
    expect(log).toEqual([]);
  });

  it("go on when the answer to a claim or to a result is lost", async () => {
    const store = await openMemoryFleets(50);
    const log: string[] = [];
    let isFirst = true;
    const lossy: FleetStore = {
      ...store,
      async open(plan) {
        const job = await store.open(plan);
        const lose = async <T>(answer: Promise<T>): Promise<T> => {
          await answer;
          isFirst = !isFirst;
          if (!isFirst) throw storeFailed("the connection was lost", "Repeat the call.", { retryable: true });
          return answer;
        };
        return {
          ...job,
          claim: (member) => lose(job.claim(member)),
          settle: (lease, cell) => lose(job.settle(lease, cell)),
        };
      },
    };
    const { counts } = await machine(lossy, log).run({ id: "job", targets: targets(2) });
    expect(counts).toEqual({ total: 4, done: 4, failed: 0, skipped: 0 });
  });

  it("do not fail a cell that another machine has taken", async () => {
    const { now, pass } = handClock();
    const store = await openMemoryFleets(1_000, now);
    const [woken, frozen, refused] = [signal(), signal(), signal()];
    const silent: FleetStore = {
      ...store,
      async open(plan) {
        const job = await store.open(plan);
        return {
          ...job,
          renew: async () => undefined,
          async settle(lease, cell) {
            const counting = await job.settle(lease, cell);
            if (counting === undefined) refused.fire();
            return counting;
          },
        };
      },
    };
    const perCell = (work: () => Promise<string>) => [
      { id: "ann", perCell: ({ step }: FleetCellContext) => fakeRuntime(() => step("turn:1", work)) },
    ];
    const sleepy = createFleet({
      store: silent,
      members: perCell(async () => {
        frozen.fire();
        await woken.fired;
        return "late";
      }),
    });
    const late = sleepy.run({ id: "job", targets: targets(1) });
    await frozen.fired;
    pass(1_000);
    const live = createFleet({
      store,
      members: perCell(async () => {
        woken.fire();
        await refused.fired;
        return "good";
      }),
    });
    const run = live.run({ id: "job", targets: targets(1) });
    const both = await Promise.all([run, late]);
    for (const { cells } of both) expect(told(cells)).toEqual(["ann t0 done: good"]);
  });

  it("repeat the storing of a step, but not its work", async () => {
    const store = await openMemoryFleets();
    let losses = 1;
    let works = 0;
    const lossy: FleetStore = {
      ...store,
      async open(plan) {
        const job = await store.open(plan);
        const steps: FleetJob["steps"] = (lease) => async (name, work) => {
          const result = await job.steps(lease)(name, work);
          if (losses-- > 0) throw storeFailed("the connection was lost", "Repeat the call.", { retryable: true });
          return result;
        };
        return { ...job, steps };
      },
    };
    const work = async () => `work ${++works}`;
    const failing = async (): Promise<string> => {
      works += 1;
      throw storeFailed("busy", "Later.", { retryable: true });
    };
    const fleet = createFleet({
      store: lossy,
      members: [
        {
          id: "ann",
          perCell: ({ step }) => fakeRuntime((goal) => step("turn:1", goal === "t0" ? work : failing)),
        },
      ],
    });
    const { cells } = await fleet.run({ id: "job", targets: targets(2) });
    expect(told(cells)).toEqual(["ann t0 done: work 1", "ann t1 failed: store-failed busy"]);
    expect(works).toBe(2);
  });

  it("make a runtime for each cell with perCell, and destroy it", async () => {
    const store = await openMemoryFleets();
    const made: string[] = [];
    const runtimes: ReturnType<typeof fakeRuntime>[] = [];
    const fleet = createFleet({
      store,
      members: [
        {
          id: "ann",
          perCell({ id, target, attempt, step }) {
            made.push(`${target} ${attempt} ${/^[0-9a-f]{64}$/.test(id)}`);
            const runtime = fakeRuntime((goal) => step("turn:1", async () => `answer to ${goal}`));
            runtimes.push(runtime);
            return runtime;
          },
        },
      ],
    });
    const { cells } = await fleet.run({ id: "job", targets: targets(2) });
    expect(told(cells)).toEqual(["ann t0 done: answer to t0", "ann t1 done: answer to t1"]);
    expect(made).toEqual(["t0 1 true", "t1 1 true"]);
    expect(runtimes.map(({ destroyed }) => destroyed)).toEqual([1, 1]);
  });
});
