import { describe, expect, it, vi } from "vitest";
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { AgentError } from "../../../src/core/index.js";
import type { DurableHost } from "../../../src/host/durable/host.js";
import type { Sql } from "../../../src/host/sql/engine.js";
import type { SqlStore } from "../../../src/host/sql/store.js";
import { loadSqlite } from "../../../src/host/sqlite/driver.js";
import { openSqliteFile, type SqliteKind } from "../../../src/host/sqlite/file.js";
import { openSqliteExecutionHost, SESSIONS } from "../../../src/host/sqlite/open.js";
import { MAX_STORED_VALUE_BYTES } from "../../../src/core/limits.js";
import { durableHosts, userTurn } from "../../support/durable-host.js";
import { PATIENCE } from "../../support/patience.js";

const hosts = durableHosts();
const plain = async (file: string) => (await loadSqlite())(file);

describe("a file that another process has locked", () => {
  it("is waited for, and other work goes on meanwhile", async () => {
    const file = hosts.file();
    const host = await hosts.open({}, file);
    await host.store.sessions.commit("k", { state: 1 }, { expectedVersion: null });
    const other = await plain(file);
    other.exec("BEGIN IMMEDIATE");
    let isDone = false;
    const write = host.store.sessions.delete("k").then(() => (isDone = true));
    // Timers and reads run while the write waits.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await host.store.sessions.load("k")).toMatchObject({ state: 1 });
    expect(isDone).toBe(false);
    other.exec("COMMIT");
    await write;
    expect(await host.store.sessions.load("k")).toBeNull();
    other.close();
  });

  it("is a retryable failure after the time limit, and works again afterwards", async () => {
    const file = hosts.file();
    const host = await hosts.open({ busyTimeoutMs: 1 }, file);
    const other = await plain(file);
    other.exec("BEGIN IMMEDIATE");
    const commit = () => host.store.sessions.commit("k", { state: 1 }, { expectedVersion: null });
    await expect(commit()).rejects.toMatchObject({ code: "store-failed", retryable: true });
    other.exec("COMMIT");
    other.close();
    expect(await commit()).toMatchObject({ ok: true });
  });
});

describe("a file that is gone while its host is open", () => {
  const commit = (host: DurableHost) => host.store.sessions.commit("k", { state: 1 }, { expectedVersion: null });

  it.each(["deleted", "replaced"])("makes each write fail: %s", async (how) => {
    const file = hosts.file();
    const host = await hosts.open({}, file);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix);
    if (how === "replaced") await hosts.open({}, file);
    for (let call = 0; call < 2; call++) {
      const message = `the store ${file} was ${how} while it was open`;
      await expect(commit(host)).rejects.toMatchObject({ code: "store-failed", retryable: false, message });
    }
  });

  it("works again when it is opened again", async () => {
    const file = hosts.file();
    const host = await hosts.open({}, file);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix);
    await expect(commit(host)).rejects.toMatchObject({ code: "store-failed" });
    await host.close();
    expect(await commit(await hosts.open({}, file))).toMatchObject({ ok: true });
  });
});

describe("a host that is closed", () => {
  it("leaves a file that is complete without its log", async () => {
    const file = hosts.file();
    const host = await hosts.open({}, file);
    await host.store.sessions.commit("k", { state: 1 }, { expectedVersion: null });
    await host.close();
    const copy = hosts.file();
    copyFileSync(file, copy);
    expect(await (await hosts.open({}, copy)).store.sessions.load("k")).toMatchObject({ state: 1 });
  });
});

describe("a transaction", () => {
  it("has no calls after its end, and none of a host that is closed", async () => {
    const host = await hosts.open();
    let late: (() => Promise<unknown>) | undefined;
    await host.store.transaction(async (tx) => {
      late = () => tx.runs.get("a");
    });
    await expect(late?.()).rejects.toMatchObject({ code: "store-failed" });
    await host.close();
    await expect(host.store.transaction(async () => 1)).rejects.toMatchObject({
      code: "store-failed",
      retryable: false,
    });
  });

  it("knows the names of both clocks in its texts, as a read does", async () => {
    const host = await hosts.open({ ports: { now: () => 1_234_567 } });
    const { access } = host.store as SqlStore;
    const ask = (sql: Sql) => sql.all("SELECT ? AS first, WALL_NOW AS wall_ms, LEASE_NOW AS lease_ms, ? AS last", 1, 2);
    const row = { first: 1, wall_ms: 1_234_567, lease_ms: 1_234_567, last: 2 };
    expect(await access.read(ask)).toEqual([expect.objectContaining(row)]);
    expect(await access.write(ask)).toEqual([expect.objectContaining(row)]);
    const insert = "INSERT INTO meta (name, value) VALUES (?, CAST(WALL_NOW AS TEXT))";
    expect(await access.write((sql) => sql.run(insert, "clock"))).toBe(1);
    const find = (sql: Sql) => sql.all("SELECT value FROM meta WHERE name = 'clock'");
    expect(await access.read(find)).toEqual([expect.objectContaining({ value: expect.stringContaining("1234567") })]);
  });

  it("PSS-145 runs its calls one after another, also when they begin together", async () => {
    const { store } = await hosts.open();
    const answers = await store.transaction((tx) =>
      Promise.all(["a", "b", "c"].map((runId) => tx.runs.create(userTurn(runId, { dedupeKey: "k" })))),
    );
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, false]);
  });

  it("PSS-145 loses none of many read and written counts", async () => {
    const file = hosts.file();
    const all = [await hosts.open({}, file), await hosts.open({}, file)];
    const count = async (host: (typeof all)[0]) =>
      host.store.transaction(async ({ sessions }) => {
        const there = await sessions.load("k");
        await sessions.commit(
          "k",
          { state: Number(there?.state ?? 0) + 1 },
          { expectedVersion: there?.version ?? null },
        );
      });
    await Promise.all(Array.from({ length: 40 }, (_, index) => count(all[index % 2] as (typeof all)[0])));
    expect(await all[0]?.store.sessions.load("k")).toMatchObject({ state: 40 });
  });

  it("ends after a time limit, so that the next one can begin", async () => {
    const fires: (() => void)[] = [];
    const timer = (_ms: number, fire: () => void) => {
      fires.push(fire);
      return () => fires.splice(fires.indexOf(fire), 1);
    };
    const host = await openSqliteExecutionHost(hosts.file(), { ports: { timer } });
    const endless = host.store.transaction(() => new Promise(() => undefined));
    await vi.waitFor(() => expect(fires.length).toBeGreaterThan(0), PATIENCE);
    for (const fire of [...fires]) fire();
    await expect(endless).rejects.toMatchObject({ code: "store-failed" });
    expect(await host.store.runs.create(userTurn("a"))).toMatchObject({ ok: true });
    await host.close();
  });
});

describe("a full file", () => {
  it("refuses the whole transaction as retryable, and can be read", async () => {
    const host = await hosts.open({ maxFileBytes: 400_000 });
    await host.store.runs.create(userTurn("a"));
    const large = host.store.transaction(async (tx) => {
      await tx.runs.create(userTurn("b"));
      await tx.sessions.commit("k", { state: "x".repeat(1_000_000) }, { expectedVersion: null });
    });
    await expect(large).rejects.toMatchObject({ code: "store-failed", retryable: true });
    expect(await host.store.runs.get("b")).toBeNull();
    expect(await host.store.runs.get("a")).not.toBeNull();
    expect(await host.store.runs.create(userTurn("c"))).toMatchObject({ ok: true });
  });
});

describe("values and names", () => {
  it.each([
    ["a value that is too large", (s: string) => [s, "x".repeat(MAX_STORED_VALUE_BYTES)]],
    ["a value that is not JSON", (s: string) => [s, Number.NaN]],
    ["an empty key", () => ["", 1]],
    ["a key that is too long", () => ["k".repeat(1_025), 1]],
    ["a key that is not well-formed", () => ["\ud800", 1]],
  ])("refuse %s for good", async (_name, make) => {
    const { store } = await hosts.open();
    const [key, state] = make("k") as [string, never];
    const error = (await store.sessions
      .commit(key, { state }, { expectedVersion: null })
      .catch((thrown: unknown) => thrown)) as AgentError;
    expect(error).toMatchObject({ code: "store-failed", retryable: false, hint: expect.any(String) });
  });

  it("PSS-56 keep what is at their limits, byte for byte", async () => {
    const { store } = await hosts.open();
    const key = `${"k".repeat(1_021)}\0"é`;
    const state = { __proto__x: "x".repeat(MAX_STORED_VALUE_BYTES - 40), z: [1, "\u2028"] };
    await store.sessions.commit(key, { state }, { expectedVersion: null });
    expect((await store.sessions.load(key))?.state).toEqual(state);
    expect(await store.sessions.load(`${"k".repeat(1_021)}`)).toBeNull();
  });
});

describe("a codec", () => {
  const turned = {
    id: "turned",
    encode: async (text: string) => [...text].reverse().join(""),
    decode: async (text: string) => [...text].reverse().join(""),
  };

  it("changes every value, and no id", async () => {
    const file = hosts.file();
    const { store } = await hosts.open({ codec: turned }, file);
    await store.runs.create(userTurn("run-1", { input: "secret words" }));
    await store.events.append("run-1", [{ type: "assistant-text", text: "secret words" }], { firstOffset: 0 });
    await store.sessions.commit("key-1", { state: "secret words" }, { expectedVersion: null });
    expect(await store.runs.get("run-1")).toMatchObject({ input: "secret words" });
    expect(await store.sessions.load("key-1")).toMatchObject({ state: "secret words" });
    const bytes = readFileSync(file, "latin1") + readFileSync(`${file}-wal`, "latin1");
    expect(bytes).toContain("run-1");
    expect(bytes).not.toContain("secret words");
  });

  it("must be the one that wrote the file", async () => {
    const file = hosts.file();
    await (await openSqliteExecutionHost(file, { codec: turned })).close();
    await expect(openSqliteExecutionHost(file)).rejects.toMatchObject({ code: "store-failed", retryable: false });
    await (await openSqliteExecutionHost(file, { codec: turned })).close();
  });

  it("that throws, or returns no text, is a failure of the store", async () => {
    const { store } = await hosts.open({ codec: { ...turned, encode: () => 7 as never } });
    await expect(store.sessions.commit("k", { state: 1 }, { expectedVersion: null })).rejects.toThrow(
      "encode of the codec",
    );
  });
});

describe("the file of a durable host", () => {
  it("can be read by its owner alone", async () => {
    const file = hosts.file();
    await hosts.open({}, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}-lives`).mode & 0o777).toBe(0o700);
  });

  it("is refused and left as it is when it is something else, or newer", async () => {
    const file = hosts.file();
    await (await openSqliteExecutionHost(file)).close();
    const newer = await plain(file);
    newer.exec("PRAGMA user_version = 99");
    newer.close();
    const text = hosts.file();
    writeFileSync(text, "This is no database. ".repeat(500));
    for (const path of [file, text]) {
      const before = readFileSync(path);
      await expect(openSqliteExecutionHost(path)).rejects.toMatchObject({ code: "store-failed", retryable: false });
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });

  it("is brought up to date step by step, once", async () => {
    const file = hosts.file();
    const open = await loadSqlite();
    const kind = (migrations: string[]): SqliteKind => ({ ...SESSIONS, migrations });
    const steps = [
      "CREATE TABLE one (n INTEGER) STRICT; INSERT INTO one VALUES (1);",
      "ALTER TABLE one ADD COLUMN m INTEGER;",
    ];
    const terms = { path: file, busyTimeoutMs: 5_000, maxFileBytes: 1_000_000 };
    (await openSqliteFile(open, { ...terms, kind: kind(steps.slice(0, 1)) })).close();
    for (let time = 0; time < 2; time++) {
      const database = await openSqliteFile(open, { ...terms, kind: kind(steps) });
      expect(database.prepare("SELECT * FROM one").all()).toEqual([expect.objectContaining({ n: 1, m: null })]);
      database.close();
    }
    await expect(openSqliteFile(open, { ...terms, kind: kind(steps.slice(0, 1)) })).rejects.toThrow("has schema 2");
  });

  it.each<[string, string, object]>([
    ["an empty path", "", {}],
    [":memory:", ":memory:", {}],
    ["a lease that is too short", "never.db", { leaseMs: 999 }],
    ["a lease that is too long", "never.db", { leaseMs: 3_600_001 }],
    ["a sweep that is too rare", "never.db", { sweepMs: 30_001 }],
    ["no attempts", "never.db", { maxAttempts: 0 }],
    ["a codec without an id", "never.db", { codec: { encode: String, decode: String } }],
    ["a clock that is not a function", "never.db", { ports: { now: 1 } }],
    ["an unknown option", "never.db", { lease: 1 }],
    ["no options", "never.db", null as never],
    ["no codec", "never.db", { codec: null }],
    ["a file without room for its tables", "never.db", { maxFileBytes: 131_072 }],
  ])("refuses %s as options that can never work", async (_name, path, options) => {
    await expect(openSqliteExecutionHost(path, options)).rejects.toMatchObject({ code: "invalid-options" });
  });
});
