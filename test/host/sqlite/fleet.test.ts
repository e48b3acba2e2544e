import { readdirSync } from "node:fs";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { FleetPlan, FleetStore } from "../../../src/host/fleet/store.js";
import { loadSqlite, type SqliteDatabase } from "../../../src/host/sqlite/driver.js";
import { sqliteFleetStore } from "../../../src/host/sqlite/fleet.js";
import { describeFleetKills, fleetMachines } from "../../support/fleet-machines.js";
import { PATIENCE } from "../../support/patience.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const machines = fleetMachines("host/sqlite/fleet.js");
const folder = temporaryFolder();
const opened: FleetStore[] = [];
let files = 0;
const newFile = () => folder.path(`fleet-${files++}.db`);
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});
afterAll(() => folder.remove());

async function open(path: string, options = {}): Promise<FleetStore> {
  const store = await sqliteFleetStore(path, options);
  opened.push(store);
  return store;
}

const plan = (more: Partial<FleetPlan> = {}): FleetPlan => ({
  ...{ id: "job", hash: "h", rate: undefined, limitUsd: undefined },
  cells: [{ id: 0, target: "t0", member: "ann" }],
  ...more,
});

describe("a store of fleets in a file", () => {
  it("keeps a job for later processes, and its file for itself", async () => {
    const file = newFile();
    const first = await open(file);
    const job = await first.open(plan());
    expect(await job.claim("ann")).toMatchObject({ kind: "claimed", id: 0 });
    await first.close();
    await first.close();
    expect(readdirSync(`${file}-lives`)).toEqual([]);
    const second = await open(file);
    expect(await second.counts("job")).toMatchObject({ total: 1, running: 1 });
    const again = await second.open(plan());
    expect(await again.claim("ann")).toMatchObject({ kind: "later" });
    // The store of the claim was closed, which releases its life lock.
    await again.endDead();
    expect(await again.claim("ann")).toMatchObject({ kind: "claimed", attempt: 2 });
    const { openSqliteExecutionHost } = await import("../../../src/host/sqlite/open.js");
    await expect(openSqliteExecutionHost(file)).rejects.toMatchObject({ code: "store-failed" });
  });

  it("gives the cells of a killed process to another one at once, and never those of a live store", async () => {
    const file = newFile();
    const doomed = machines.start(file, { members: ["ann"], targets: ["t0"], hangs: true, leaseMs: 300_000 });
    await vi.waitFor(() => expect(doomed.said.some(({ stored }) => stored !== undefined)).toBe(true), PATIENCE);
    const heir = machines.start(file, { members: ["ann"], targets: ["t0"], leaseMs: 300_000 });
    const store = await open(file);
    await vi.waitFor(
      () => expect(readdirSync(`${file}-lives`).filter((name) => /^[0-9a-f]{32}$/.test(name))).toHaveLength(3),
      PATIENCE,
    );
    expect(heir.said).toEqual([]);
    await machines.kill(doomed.child);
    await vi.waitFor(async () => expect(await store.counts("job")).toMatchObject({ done: 1 }), PATIENCE);
    expect(heir.said).toContainEqual({ ran: "ann t0", attempt: 2 });
  });

  it("forgets the tokens of a clock that began again", async () => {
    const file = newFile();
    let now = 5_000_000;
    const ports = { now: () => now };
    const rate = { calls: 1, perMs: 60_000 };
    const job = await (await open(file, { ports })).open(plan({ rate }));
    expect(await job.takeToken("t0")).toBe(0);
    expect(await job.takeToken("t0")).toBe(60_000);
    now = 1_000;
    const later = await (await open(file, { ports })).open(plan({ rate }));
    expect(await later.takeToken("t0")).toBe(0);
  });

  it("refuses what it cannot open", async () => {
    await expect(sqliteFleetStore("")).rejects.toMatchObject({ code: "invalid-options" });
    await expect(sqliteFleetStore(newFile(), { leaseMs: 1 })).rejects.toMatchObject({ code: "invalid-options" });
  });
});

describe("a fleet in a file", () => {
  const noted: SqliteDatabase[] = [];
  afterEach(() => {
    for (const database of noted.splice(0)) database.close();
  });
  describeFleetKills(machines, async () => {
    const place = newFile();
    const store = await open(place);
    const database = (await loadSqlite())(place);
    noted.push(database);
    database.exec(`CREATE TABLE noted (target BLOB, taken_at INTEGER);
      CREATE TRIGGER note AFTER INSERT ON fleet_tokens BEGIN INSERT INTO noted VALUES (new.target_hash, new.taken_at); END;`);
    const tokens = async () =>
      (
        database.prepare("SELECT hex(target) AS target, taken_at FROM noted").all() as {
          target: string;
          taken_at: number;
        }[]
      ).map(({ target, taken_at: takenAt }) => ({ target, takenAt }));
    return { place, store, tokens };
  });
});
