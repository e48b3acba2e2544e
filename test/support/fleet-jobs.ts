// What the jobs of every store of fleets hold to. The clock of the store stands still until a test moves it.

import { describe, expect, it } from "vitest";
import type { FleetCell } from "../../src/host/fleet/cell.js";
import type { CellClaim, FleetJob, FleetPlan, FleetStore } from "../../src/host/fleet/store.js";
import { told } from "./fleet.js";
import { resultsOf } from "./fleet-machines.js";

export interface FleetUnderTest {
  readonly store: FleetStore;
  pass(ms: number): Promise<void>;
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`);
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

/** `open` is called once for each test. */
export function describeFleetJobs(open: (leaseMs: number) => Promise<FleetUnderTest>): void {
  describe("a job in a store", () => {
    it("gives each cell to one machine, and says when there is none", async () => {
      const { store } = await open(30_000);
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
      const { store, pass } = await open(10_000);
      const [frozen, live] = [await store.open(plan(1)), await store.open(plan(1))];
      const stale = await claimOf(frozen);
      await pass(6_000);
      await frozen.renew([stale]);
      await pass(6_000);
      expect(await live.claim("ann")).toMatchObject({ kind: "later" });
      await pass(4_000);
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
      const { store, pass } = await open(1_000);
      const job = await store.open(plan(1));
      for (let attempt = 1; attempt <= 5; attempt++) {
        expect(await job.claim("ann")).toMatchObject({ attempt });
        await pass(1_000);
      }
      expect(await job.claim("ann")).toEqual({ kind: "empty" });
      expect(await resultsOf(store)).toMatchObject([{ status: "failed", attempts: 5, error: { code: "lost" } }]);
    });

    it("never has more runs on a target in a window than its rate", async () => {
      const { store, pass } = await open(30_000);
      const rate = { calls: 2, perMs: 1_000 };
      const cells = [...["x", "x", "x"], "y"].map((target, id) => ({ id, target, member: "ann" }));
      const [first, second] = [await store.open(plan(0, { cells, rate })), await store.open(plan(0, { cells, rate }))];
      expect((await claimOf(first)).id).toBe(0);
      await pass(400);
      expect((await claimOf(second)).id).toBe(1);
      expect((await claimOf(first)).id).toBe(3);
      expect(await second.claim("ann")).toMatchObject({ kind: "later" });
      expect(await second.takeToken("x")).toBe(600);
      await pass(600);
      expect((await claimOf(second)).id).toBe(2);
      expect(await first.takeToken("x")).toBe(400);
      expect(await first.takeToken("y")).toBe(0);
    });

    it("begins no cell once the settled ones cost as much as the limit", async () => {
      const { store } = await open(30_000);
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
      const { store } = await open(30_000);
      const job = await store.open(plan(1));
      await expect(store.open(plan(1, { hash: "other" }))).rejects.toMatchObject({ code: "invalid-options" });
      await store.remove("job");
      await expect(job.claim("ann")).rejects.toMatchObject({ code: "store-failed", retryable: false });
      await expect(store.counts("job")).rejects.toMatchObject({ code: "store-failed" });
      await store.open(plan(2, { hash: "other" }));
      expect(await store.counts("job")).toMatchObject({ total: 2, waiting: 2 });
    });

    it("skips what waits when it is cancelled, also what is released later", async () => {
      const { store } = await open(30_000);
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
      const { store, pass } = await open(1_000);
      const job = await store.open(plan(1));
      const stale = job.steps(await claimOf(job));
      expect(await stale("turn:1", async () => ({ text: "hi" }))).toEqual({ text: "hi" });
      await pass(1_000);
      const other = await store.open(plan(1));
      const lease = await claimOf(other);
      await expect(stale("turn:2", async () => 1)).rejects.toMatchObject({ code: "lease-lost" });
      const next = other.steps(lease);
      expect(await next("turn:1", async () => expect.unreachable())).toEqual({ text: "hi" });
      expect(await next("turn:2", async () => undefined)).toBeUndefined();
      expect(await next("turn:2", async () => expect.unreachable())).toBeUndefined();
    });
  });
}
