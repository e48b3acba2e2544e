import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSqlite } from "../../../src/host/sqlite/driver.js";
import { assertBuilt, compiledModule } from "../../support/built.js";
import { describePostgres } from "../../support/servers.js";
import { cli, documentOf, folder } from "../run.js";
import { contentsOf, writeSuite } from "./suite.js";

const env = { PATH: process.env["PATH"] ?? "" };
let made = 0;
const children: ChildProcess[] = [];

beforeAll(assertBuilt);
afterAll(() => children.forEach(killAll));

/** As when a machine is taken away: the process and its command end at once. */
function killAll({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
}

/** A new project whose job is in `jobs.db`, unless `store` says where. */
function project({
  words = [],
  runs = 2,
  store = "jobs.db",
}: { words?: string[]; runs?: number; store?: string } = {}) {
  const cwd = join(folder, `job-${made++}`);
  const command = [...writeSuite(cwd), ...words];
  const at = (path: string): string => join(cwd, path);
  const job = (name: string) => ["--job", name, "--store", store];
  const argv = (into: string, name = "nightly") => {
    return ["record", "--runs", String(runs), ...job(name), "--into", into, "--", ...command];
  };
  return {
    ...{ cwd, command, at, argv },
    record: (into: string, name?: string, more = {}) => cli(argv(into, name), { cwd, env: { ...env, ...more } }),
    merge: (into: string, ...options: string[]) =>
      cli(["merge", ...job("nightly"), "--into", into, ...options], { cwd }),
    /** A machine of its own. `said` has its output. */
    machine(into: string, more = {}) {
      const options = { cwd, env: { ...env, ...more }, detached: true };
      const child = spawn(process.execPath, [compiledModule("cli/bin.js"), ...argv(into)], options);
      children.push(child);
      const told = { child, said: "", ended: once(child, "exit") };
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (told.said += String(chunk)));
      return told;
    },
    /** Changes the store behind the back of all. */
    async sql(text: string): Promise<void> {
      const database = (await loadSqlite())(at("jobs.db"));
      database.exec(`PRAGMA busy_timeout = 5000; ${text}`);
      database.close();
    },
  };
}

/** What one machine records in three runs without a job. */
const whole = madeOnce(async () => {
  const cwd = join(folder, "whole");
  await cli(["record", "--runs", "3", "--into", "whole", "--", ...writeSuite(cwd)], { cwd, env });
  return contentsOf(join(cwd, "whole"));
});

function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** The bytes of every recording by its path. */
function bytesOf(path: string): Record<string, string> {
  const names = readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(path, name), "utf8")]));
}

const waiting = (machine: { said: string }) =>
  expect.poll(() => machine.said, { timeout: 60_000 }).toContain("waiting\n");
/** What a lease is like when its machine has said nothing for as long as it lasts. */
const expire = (pid: number | undefined) => `UPDATE fleet_cells SET lease_until = 0 WHERE begun_by LIKE '% ${pid}'`;

describe("cassette record --job", () => {
  it("records on three machines, one of which is killed, what one machine records", async () => {
    const { machine, sql, merge, at } = project({ runs: 3, words: ["--wait=1"] });
    const doomed = machine("doomed");
    await waiting(doomed);
    const others = ["b", "c"].map((into) => machine(into, { GO_ON: "1" }));
    killAll(doomed.child);
    await doomed.ended;
    await sql(expire(doomed.child.pid));
    for (const { ended } of others) expect(await ended).toEqual([0, null]);
    const counts = others.map(({ said }) => Number(/(\d+) runs? of job nightly recorded/.exec(said)?.[1]));
    expect(counts.reduce((sum, count) => sum + count)).toBe(3);
    const { code, out } = await merge("merged");
    expect([code, out]).toEqual([0, "merged 9 recordings of 3 runs of job nightly into merged\n"]);
    expect(contentsOf(at("merged"))).toEqual(await whole());
    for (const into of ["b", "c"]) expect(bytesOf(at(into))).toEqual(bytesOf(at("merged")));
    expect(existsSync(at("doomed"))).toBe(false);
  }, 120_000);

  it("keeps one result of a run that two machines finish", async () => {
    const { machine, sql, record, at } = project({ runs: 1, words: ["--until=go"] });
    const slow = machine("slow");
    await waiting(slow);
    await sql(expire(slow.child.pid));
    expect(await record("fast", "nightly", { GO_ON: "1" })).toMatchObject({ code: 0 });
    writeFileSync(at("go"), "");
    expect(await slow.ended).toEqual([0, null]);
    expect(slow.said).toContain("run 1: 3 recordings");
    expect(bytesOf(at("slow"))).toEqual(bytesOf(at("fast")));
  }, 120_000);

  it("names what differs from the plan of the job, and the jobs that there are", async () => {
    const { cwd, command, record } = project({ runs: 1 });
    await record("out");
    const other = (options: string[], words: string[] = []) =>
      cli(["record", ...options, "--job", "nightly", "--store", "jobs.db", "--into", "x", "--", ...command, ...words], {
        ...{ cwd, env },
      });
    const { code, err } = await other(["--runs", "3"], ["--unpriced"]);
    expect(code).toBe(2);
    expect(err).toContain(
      `error: job nightly has a different plan: command (the store has ${JSON.stringify(command)}, this machine has ${JSON.stringify([...command, "--unpriced"])}), runs (the store has 1, this machine has 3)\n`,
    );
    const missing = await cli(["merge", "--job", "weekly", "--store", "jobs.db", "--into", "x"], { cwd });
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("hint: The store has: nightly.\n") });
    const nowhere = await cli(["merge", "--job", "weekly", "--store", "none.db", "--into", "x"], { cwd });
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining("the store none.db does not exist") });
    expect(["none.db", "x"].map((name) => existsSync(join(cwd, name)))).toEqual([false, false]);
  });

  it("exits 1 for a run that failed, and 2 for one that is missing, lost or damaged, and replaces no other contents", async () => {
    const { cwd, argv, record, merge, sql, at } = project({ words: ["--fail=hotels"] });
    const { code, err, out } = await record("out");
    expect([code, out, err]).toEqual([
      1,
      "",
      expect.stringContaining("failed: run 1 (exit code 1), run 2 (exit code 1)\n"),
    ]);
    expect(await merge("again")).toMatchObject({
      code: 1,
      out: expect.stringContaining("failed   run 2 (exit code 1)\n"),
    });
    expect(bytesOf(at("again"))).toEqual(bytesOf(at("out")));
    // Only what is left is recorded.
    await sql("UPDATE fleet_cells SET status = NULL, result = NULL WHERE place = 0");
    const refused = await record("out");
    expect(refused.err).toContain("1 run of job nightly recorded by this machine\n");
    const taken = expect.stringContaining("out/flights.1.cassette.json already exists with different contents");
    expect(refused).toMatchObject({ code: 2, err: taken });
    const [verb = "", ...rest] = argv("new");
    const again = documentOf(await cli([verb, "--json", ...rest], { cwd, env }));
    expect(again).toMatchObject({ exitCode: 1, runs: 2, left: 0, units: [{ run: 1 }, { run: 2 }] });
    const damaged = `UPDATE fleet_cells SET result = replace(result, 'finalAnswer":"H4s', 'finalAnswer":"x') WHERE place = 1`;
    await sql(damaged);
    expect(await merge("x")).toMatchObject({
      code: 2,
      err: expect.stringContaining("the result of run 2 in the store is damaged"),
    });
    await sql(
      `UPDATE fleet_cells SET status = NULL, result = NULL, holder = 'm', lease_until = 0, losses = 4, begun_by = 'm', begun_at = 1 WHERE place = 1`,
    );
    expect((await merge("x")).err).toContain("the recording is incomplete: run 2 is missing\n");
    // The next claim finds the lost run.
    const lost = await record("x");
    expect(lost).toMatchObject({ code: 2, err: expect.stringContaining("run 2 (5 workers were lost") });
    expect(existsSync(at("x"))).toBe(false);
    const allowed = await merge("some", "--allow-missing", "--json");
    expect(documentOf(allowed)).toMatchObject({
      exitCode: 1,
      recordings: 3,
      missing: [expect.stringContaining("run 2")],
    });
  });

  it("refuses results that are not of their run, and a plan with other runs", async () => {
    const { record, merge, sql, at } = project();
    await record("out");
    copyFileSync(at("jobs.db"), at("whole.db"));
    const other = (from: number) => `(SELECT result FROM fleet_cells WHERE place = ${from})`;
    const runsOf = (count: number) =>
      `UPDATE fleet_jobs SET plan_hash = replace(plan_hash, '"runs":2', '"runs":${count}')`;
    for (const [change, what] of [
      [`UPDATE fleet_cells SET result = replace(${other(1)}, 'run 2', 'run 1') WHERE place = 0`, "the result of run 1"],
      [runsOf(1), "the plan of job nightly"],
      [runsOf(100_000_000), "the plan of job nightly"],
    ] as const) {
      copyFileSync(at("whole.db"), at("jobs.db"));
      await sql(change);
      const damaged = expect.stringContaining(`error: ${what} in the store is damaged\n`);
      expect(await merge("x")).toMatchObject({ code: 2, err: damaged });
    }
    for (const change of [
      "status = 'failed', result = json_set(result, '$.status', 'failed')",
      "result = json_remove(result, '$.result.finalAnswer')",
      "status = 'skipped', result = '{\"status\":\"skipped\"}', names = '{'",
    ]) {
      copyFileSync(at("whole.db"), at("jobs.db"));
      await sql(`UPDATE fleet_cells SET ${change} WHERE place = 0`);
      const damaged = expect.stringContaining("error: table fleet_cells, row 0, column ");
      expect(await merge("x")).toMatchObject({ code: 2, err: damaged });
    }
    expect(existsSync(at("x"))).toBe(false);
  });

  it("keeps the recordings of a run that the store does not take", async () => {
    const { machine, at } = project({ runs: 1, words: ["--until=go"] });
    const own = machine("own");
    await waiting(own);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(at(`jobs.db${suffix}`), { force: true });
    writeFileSync(at("go"), "");
    expect(await own.ended).toEqual([2, null]);
    const [, kept = ""] = /so its recordings stay in (.+)\n/.exec(own.said) ?? [];
    expect(Object.keys(bytesOf(kept))).toContain("flights.1.cassette.json");
    rmSync(kept, { recursive: true });
  }, 120_000);

  it("returns the run to the others when its command cannot start or records nothing", async () => {
    const { cwd } = project();
    const none = (name: string, ...command: string[]) =>
      cli(["record", "--runs", "1", "--job", name, "--store", "jobs.db", "--into", "x", "--", ...command], {
        cwd,
        env,
      });
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect((await none("a", "no-such-program")).err).toContain("no-such-program");
      expect((await none("b", process.execPath, "-e", "0")).err).toContain("succeeded but recorded no cassette");
    }
  });
});

describePostgres("cassette record --job", (server) => {
  it("records on two machines with PostgreSQL what one machine records, and prints no password", async () => {
    const { cwd, record, at } = project({ runs: 3, store: "env:JOBS" });
    const secret = { JOBS: server.url.replace("postgres@", "postgres:quite-secret@") };
    const ran = await Promise.all(["a", "b"].map((into) => record(into, "nightly", secret)));
    expect(ran.map(({ code }) => code)).toEqual([0, 0]);
    expect(contentsOf(at("a"))).toEqual(await whole());
    expect(bytesOf(at("b"))).toEqual(bytesOf(at("a")));
    const merge = ["merge", "--job", "weekly", "--store", "env:JOBS", "--into", "x"];
    const missing = await cli(merge, { cwd, env: { ...env, ...secret } });
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("The store has: nightly.") });
    expect(
      JSON.stringify([ran, missing, bytesOf(at("a")), await server.sql("SELECT * FROM playhead.fleet_jobs")]),
    ).not.toContain("quite-secret");
  }, 120_000);
});
