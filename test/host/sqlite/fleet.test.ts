import { readdirSync } from "node:fs";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { FleetPlan, FleetStore } from "../../../src/host/fleet/store.js";
import { loadSqlite, type SqliteDatabase } from "../../../src/host/sqlite/driver.js";
import { sqliteFleetStore } from "../../../src/host/sqlite/fleet.js";
import { openSqliteExecutionHost } from "../../../src/host/sqlite/open.js";
import { handClock } from "../../support/durable-host.js";
import { describeFleetJobs } from "../../support/fleet-jobs.js";
import { describeFleetKills, fleetMachines } from "../../support/fleet-machines.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const machines = fleetMachines("host/sqlite/fleet.js");
const folder = temporaryFolder();
const opened: FleetStore[] = [];
const noted: SqliteDatabase[] = [];
let files = 0;
const newFile = () => folder.path(`fleet-${files++}.db`);
afterEach(async () => {
  for (const database of noted.splice(0)) database.close();
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
  it("keeps a job for later processes, and gives the cells of a store without its life lock to them at once", async () => {
    const file = newFile();
    const [first, second] = [await open(file), await open(file)];
    const [job, other] = [await first.open(plan()), await second.open(plan())];
    expect(await job.claim("ann")).toMatchObject({ kind: "claimed", attempt: 1 });
    await other.endDead();
    expect(await other.claim("ann")).toMatchObject({ kind: "later" });
    // A store that is closed releases its lock, as a process that ends does.
    await first.close();
    await first.close();
    expect(readdirSync(`${file}-lives`).filter((name) => /^[0-9a-f]{32}$/.test(name))).toHaveLength(1);
    expect(await second.counts("job")).toMatchObject({ total: 1, running: 1 });
    await other.endDead();
    expect(await other.claim("ann")).toMatchObject({ kind: "claimed", attempt: 2 });
    // The holder of a store that has no life lock, as on a pooler. Only its lease ends its claims.
    const database = (await loadSqlite())(file);
    noted.push(database);
    database.exec("UPDATE fleet_cells SET holder = substr(holder, 34)");
    await other.endDead();
    expect(await other.claim("ann")).toMatchObject({ kind: "later" });
    await expect(openSqliteExecutionHost(file)).rejects.toMatchObject({ code: "store-failed" });
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
  describeFleetJobs(async (leaseMs) => {
    const { now, pass } = handClock();
    return { store: await open(newFile(), { leaseMs, ports: { now } }), pass: async (ms) => void pass(ms) };
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
