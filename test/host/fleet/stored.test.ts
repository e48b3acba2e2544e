import { describe, expect, it } from "vitest";
import { storeFailed } from "../../../src/core/index.js";
import { createFleet } from "../../../src/host/fleet.js";
import type { FleetCellContext, FleetOptions, FleetRunOptions } from "../../../src/host/fleet/options.js";
import type { FleetJob, FleetStore } from "../../../src/host/fleet/store.js";
import { handClock } from "../../support/durable-host.js";
import { describeFleetJobs } from "../../support/fleet-jobs.js";
import { openMemoryFleets } from "../../support/fleet-store.js";
import { fakeRuntime, told } from "../../support/fleet.js";

const targets = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `t${index}`, goal: `t${index}` }));

/** A promise that a test resolves. */
function signal() {
  let fire = (): void => undefined;
  const fired = new Promise<void>((resolve) => (fire = resolve));
  return { fired, fire: () => fire() };
}

describeFleetJobs(async (leaseMs) => {
  const { now, pass } = handClock();
  return { store: await openMemoryFleets(leaseMs, now), pass: async (ms) => void pass(ms) };
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
