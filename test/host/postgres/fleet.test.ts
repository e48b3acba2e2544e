import { once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FleetCell } from "../../../src/host/fleet/cell.js";
import type { FleetPlan, FleetStore } from "../../../src/host/fleet/store.js";
import { postgresFleetStore } from "../../../src/host/postgres/fleet.js";
import { describeFleetJobs } from "../../support/fleet-jobs.js";
import { fleetMachines, hashOf, resultsOf } from "../../support/fleet-machines.js";
import { PATIENCE } from "../../support/patience.js";
import { describePostgres } from "../../support/servers.js";

const MEMBERS = ["ann", "bob", "cid"];
const TARGETS = Array.from({ length: 12 }, (_, index) => `t${index}`);

describePostgres("a fleet on PostgreSQL", (server) => {
  const machines = fleetMachines("host/postgres/index.js", () => ({ PLAYHEAD_TEST_DATABASE: server.url }));
  const startMachine = (schema: string, options: object) =>
    machines.start(schema, { members: MEMBERS, targets: TARGETS, ...options });
  const opened: FleetStore[] = [];
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  describeFleetJobs(async (leaseMs) => {
    const schema = server.schema();
    const store = await postgresFleetStore(server.url, { schema, leaseMs });
    opened.push(store);
    let now = 1_000_000;
    const pass = async (ms: number): Promise<void> => {
      now += ms;
      const body = `RETURNS BIGINT LANGUAGE SQL VOLATILE AS 'SELECT ${now}::bigint'`;
      await server.sql(`CREATE OR REPLACE FUNCTION "${schema}".now_ms() ${body}`);
    };
    await pass(0);
    return { store, pass };
  });

  describe("machines that share a job", { timeout: 120_000 }, () => {
    it("settle every cell once when one of them is killed, and have equal results", async () => {
      const schema = server.schema();
      const doomed = startMachine(schema, { hangs: true });
      // Each member has a cell here whose first step is stored.
      await vi.waitFor(() => expect(doomed.said.filter(({ stored }) => stored)).toHaveLength(3), PATIENCE);
      const others = [startMachine(schema, {}), startMachine(schema, {})];
      await vi.waitFor(() => expect(others[0]?.said.length).toBeGreaterThan(0), PATIENCE);
      await machines.kill(doomed.child);
      await Promise.all(others.map(({ child }) => once(child, "close")));

      const store = await postgresFleetStore(server.url, { schema });
      const results = await resultsOf(store);
      expect(others.map(({ said }) => said.at(-1)?.hash)).toEqual(others.map(() => hashOf(results)));
      expect(results.map((cell) => `${String(cell.member)} ${cell.target} ${cell.status}`)).toEqual(
        MEMBERS.flatMap((member) => TARGETS.map((target) => `${member} ${target} done`)),
      );
      // A cell that the killed machine had begun ran again, but its stored step did not. Every other cell ran once.
      const ran = others.flatMap(({ said }) => said.flatMap((line) => line.ran ?? []));
      expect(ran.length).toBe(new Set(ran).size);
      expect(new Set(ran).size).toBe(MEMBERS.length * TARGETS.length);
      const asked = [doomed, ...others].flatMap(({ said }) => said.flatMap((line) => line.asked ?? []));
      expect(asked.length).toBe(MEMBERS.length * TARGETS.length);
      expect(await store.counts("job")).toMatchObject({ total: 36, done: 36, running: 0, waiting: 0 });
      await store.close();
    });
  });

  it("never gives out more tokens in a window than the rate of the target", async () => {
    const schema = server.schema();
    const stores = [await postgresFleetStore(server.url, { schema }), await postgresFleetStore(server.url, { schema })];
    const plan: FleetPlan = {
      ...{ id: "job", hash: "h", rate: { calls: 3, perMs: 600_000 }, limitUsd: undefined },
      cells: Array.from({ length: 20 }, (_, id) => ({ id, target: id % 2 === 0 ? "x" : "y" })),
    };
    const jobs = await Promise.all(stores.map((store) => store.open(plan)));
    const claims = await Promise.all(Array.from({ length: 16 }, (_, index) => jobs[index % 2]?.claim(`m${index}`)));
    const taken = claims.flatMap((claim) => (claim?.kind === "claimed" ? [claim.id] : []));
    expect(new Set(taken).size).toBe(6);
    expect(taken.filter((id) => id % 2 === 0)).toHaveLength(3);
    expect(claims.filter((claim) => claim?.kind === "later")).toHaveLength(10);
    expect(await jobs[0]?.takeToken("x")).toBeGreaterThan(0);
    expect(await jobs[0]?.takeToken("z")).toBe(0);
    for (const store of stores) await store.close();
  });

  it("joins a job once, and refuses what PostgreSQL or the plan does not allow", async () => {
    const schema = server.schema();
    const store = await postgresFleetStore(server.url, { schema });
    const plan: FleetPlan = {
      ...{ id: "\0 odd \ud800", hash: "h", rate: undefined, limitUsd: 0.5 },
      cells: Array.from({ length: 250 }, (_, id) => ({ id, target: `\0${id}`, member: "\ud800" })),
    };
    const jobs = await Promise.all([store.open(plan), store.open(plan)]);
    expect(await store.counts(plan.id)).toMatchObject({ total: 250, waiting: 250 });
    await expect(store.open({ ...plan, hash: "i" })).rejects.toMatchObject({ code: "invalid-options" });
    expect(await jobs[0].claim("\ud800")).toMatchObject({ kind: "claimed", id: 0, attempt: 1 });
    await store.cancel(plan.id);
    const cells: FleetCell[] = [];
    for await (const cell of store.results(plan.id)) cells.push(cell);
    expect(cells).toHaveLength(249);
    expect(cells[0]).toEqual({
      status: "skipped",
      member: "\ud800",
      target: "\u00001",
      attempts: 0,
      reason: "aborted",
    });
    await store.remove(plan.id);
    await expect(store.counts(plan.id)).rejects.toMatchObject({ code: "store-failed" });
    await store.close();
    await expect(store.open(plan)).rejects.toMatchObject({ code: "store-failed", retryable: false });
    await expect(postgresFleetStore(server.url, { leaseMs: 1 })).rejects.toMatchObject({ code: "invalid-options" });
  });
});
