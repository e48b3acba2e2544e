import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { DEAD_MS } from "../../../src/host/limits.js";
import type { Line } from "../../../src/host/postgres/connection/line.js";
import { createPostgresLives } from "../../../src/host/postgres/lives.js";
import { openPostgresExecutionHost } from "../../../src/host/postgres/open.js";
import type { SqlValue } from "../../../src/host/sql/engine.js";
import { MIGRATIONS } from "../../../src/host/sql/schema.js";
import { lease, userTurn } from "../../support/durable-host.js";
import { PATIENCE } from "../../support/patience.js";
import { postgresHosts } from "../../support/postgres-host.js";
import { describePostgres } from "../../support/servers.js";

describePostgres("the schema of a durable host on PostgreSQL", (server) => {
  const hosts = postgresHosts(server);
  const tables = async (schema: string) =>
    (await server.sql("SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1)", [schema]))
      .length;

  it("is made once by many hosts that open it together, and is kept", async () => {
    const schema = server.schema();
    const all = await Promise.all(Array.from({ length: 4 }, () => hosts.open({}, schema)));
    await all[0]?.store.runs.create(userTurn("a"));
    expect(await all[3]?.store.runs.get("a")).toMatchObject({ status: "queued" });
    expect(new Set(all.map(({ hostId }) => hostId)).size).toBe(4);
    expect((await all[0]?.admin.stats())?.hosts).toBe(4);
    expect((await all[0]?.admin.stats())?.bytes).toBeGreaterThan(8_192);
  });

  it("is refused and left as it is when it is something else, newer, or may not be made", async () => {
    const [other, newer, missing] = [server.schema(), server.schema(), server.schema()];
    await server.sql(`CREATE SCHEMA ${other}; CREATE TABLE ${other}.mine (n INT)`);
    await (await hosts.open({}, newer)).close();
    await server.sql(`UPDATE ${newer}.meta SET value = '${MIGRATIONS.length + 1}' WHERE name = 'version'`);
    for (const [schema, migrate] of [
      [other, true],
      [newer, true],
      [missing, false],
    ] as const) {
      const before = await tables(schema);
      await expect(hosts.open({ migrate }, schema)).rejects.toMatchObject({ code: "store-failed", retryable: false });
      expect(await tables(schema)).toBe(before);
    }
    const known = server.schema();
    await (await hosts.open({}, known)).close();
    await hosts.open({ migrate: false }, known);
  });

  it("keeps every text of a key and a lease, byte for byte", async () => {
    const { store } = await hosts.open();
    for (const text of ["a\0b", "\u0001", "\u0001\0", "e\u0301", "\uffff"]) {
      await store.runs.create(userTurn(text, { sessionKey: text }));
      expect(await store.runs.claim(text, lease(text, 60_000))).toMatchObject({ ok: true, record: { runId: text } });
      expect(await store.runs.renew(text, text, 60_000)).toEqual({ ok: true });
      expect((await store.runs.get(text))?.lease?.leaseId).toBe(text);
    }
  });

  it("holds values as the codec gives them, also those that PostgreSQL could not keep", async () => {
    const codec = {
      id: "zero",
      encode: (text: string) => `\0${[...text].reverse().join("")}`,
      decode: (text: string) => [...text.slice(1)].reverse().join(""),
    };
    const schema = server.schema();
    const { store } = await hosts.open({ codec }, schema);
    await store.sessions.commit("k", { state: "secret words" }, { expectedVersion: null });
    expect(await store.sessions.load("k")).toMatchObject({ state: "secret words" });
    expect(JSON.stringify(await server.sql(`SELECT * FROM ${schema}.sessions`))).not.toContain("secret words");
    await expect(hosts.open({}, schema)).rejects.toMatchObject({ code: "store-failed", retryable: false });
  });

  it("goes on working when a newer host adds columns to tables that it has read", async () => {
    const schema = server.schema();
    const { store } = await hosts.open({}, schema);
    // Each connection of the pool has prepared the statements of a claim.
    const claimAll = (letter: string) =>
      Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const id = `${letter}${index}`;
          await store.runs.create(userTurn(id, { sessionKey: id }));
          return (await store.runs.claim(id, lease(id, 60_000))).ok;
        }),
      );
    await claimAll("a");
    await server.sql(
      `ALTER TABLE ${schema}.runs ADD COLUMN later TEXT; ALTER TABLE ${schema}.sessions ADD COLUMN later TEXT`,
    );
    await store.runs.create(userTurn("later"));
    expect(await store.runs.claim("later", lease("later", 60_000))).toMatchObject({ ok: true });
    expect(new Set(await claimAll("b"))).toEqual(new Set([true]));
  });

  it("tells watchers what another host changes, also one of an earlier version, which names no runs", async () => {
    const schema = server.schema();
    const [one, other] = [await hosts.open({}, schema), await hosts.open({}, schema)];
    for (const id of ["a", "b"]) await one.store.runs.create(userTurn(id, { sessionKey: id }));
    const told: string[] = [];
    for (const id of ["a", "b"]) one.store.runs.watch?.(id, (status) => told.push(`${id} ${status}`));
    // These reads queue behind those of the first statuses.
    await Promise.all(Array.from({ length: 40 }, () => one.store.runs.get("a")));
    await other.store.runs.update("a", { status: "cancelled" }, {});
    await vi.waitFor(() => expect(told).toEqual(["a cancelled"]), PATIENCE);
    await server.sql(`UPDATE ${schema}.runs SET status = 'cancelled' WHERE status = 'queued'`);
    await server.sql(`SELECT pg_notify('playhead ${schema}', 'earlier')`);
    await vi.waitFor(() => expect(told).toEqual(["a cancelled", "b cancelled"]), PATIENCE);
  });

  it("tells the others at its close that the runs which it held are due", async () => {
    const schema = server.schema();
    const host = await hosts.open({}, schema);
    const ear = new pg.Client({ connectionString: server.url });
    await ear.connect();
    const heard: unknown[] = [];
    ear.on("notification", ({ payload }) => heard.push(payload));
    await ear.query(`LISTEN "playhead ${schema}"`);
    await host.store.transaction(async ({ runs }) => {
      await runs.create(userTurn("a"));
      await runs.claim("a", lease("l"));
    });
    await vi.waitFor(() => expect(heard).toHaveLength(1), PATIENCE);
    await host.close();
    // This answer comes after the notification.
    await ear.query("SELECT 1");
    await ear.end();
    expect(heard.slice(1)).toEqual([`${host.hostId} due `]);
  });

  it("may be used by a pool of the caller, which stays open", async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 2 });
    const schema = server.schema();
    const host = await openPostgresExecutionHost({ pool }, { schema });
    await host.store.runs.create(userTurn("a"));
    expect((await host.admin.check()).map(({ code }) => code).sort()).toEqual([
      "fsync-off",
      "no-life-lock",
      "pool-too-small",
    ]);
    expect((await host.admin.stats()).hosts).toBe(1);
    await host.close();
    await expect(host.store.runs.get("a")).rejects.toMatchObject({ code: "store-failed", retryable: false });
    expect((await pool.query(`SELECT count(*)::int AS n FROM ${schema}.runs`)).rows).toEqual([{ n: 1 }]);
    const dedicated = async () => pool.connect();
    const again = await openPostgresExecutionHost({ pool, dedicated }, { schema });
    expect((await again.admin.check()).map(({ code }) => code)).not.toContain("no-life-lock");
    await again.close();
    await pool.end();
  });

  it("is not taken for dead by a host with a life lock if it has none", async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 2 });
    const schema = server.schema();
    const [lockless, locked] = [await openPostgresExecutionHost({ pool }, { schema }), await hosts.open({}, schema)];
    const clock = vi.spyOn(performance, "now");
    // Locks count once the server has run for a while.
    const query = async (text: string, ...values: SqlValue[]) => {
      const rows = await server.sql(text, values);
      return { rows: rows.map((row) => ({ ...row, up_ms: 60_000 })), rowCount: rows.length };
    };
    const lives = createPostgresLives({ schema, hostId: "0f".repeat(16), line: {} as Line, query });
    const gone = await hosts.open({}, schema);
    await gone.close();
    const seen = () => Promise.all([lockless, locked, gone].map(async ({ hostId }) => lives.isAlive(hostId)));
    expect(await seen()).toEqual([true, true, true]);
    clock.mockReturnValue(performance.now() + DEAD_MS);
    expect(await seen()).toEqual([true, true, false]);
    clock.mockRestore();
    expect(lockless.hostId).toMatch(/^[0-9a-f]{32}$/);
    await lockless.close();
    await pool.end();
  });

  it("is refused for good if it asks for SSL, which the server does not have", async () => {
    const error = await openPostgresExecutionHost(`${server.url}&sslmode=verify-full`).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "store-failed", retryable: false });
    expect(String(error)).toContain("does not support SSL");
  });

  it("prunes the notes of effects with their runs", async () => {
    const schema = server.schema();
    const host = await hosts.open({}, schema);
    await server.sql(
      `INSERT INTO ${schema}.effects (key_hash, stored_at) VALUES ('\\x01', 0), ('\\x02', ${schema}.now_ms())`,
    );
    await host.admin.prune({ olderThanMs: 86_400_000 });
    expect(await server.sql(`SELECT key_hash FROM ${schema}.effects`)).toHaveLength(1);
  });
});

describe("openPostgresExecutionHost", () => {
  const NOWHERE = "postgres://ann:secret-of-ann@127.0.0.1:9/shop";

  it.each<[string, unknown, object]>([
    ["no database", undefined, {}],
    ["a string that is not an address", "localhost", {}],
    ["an address that cannot be read", "postgres://ann:secret-of-ann@:x:y", {}],
    ["an invalid pool", { pool: {} }, {}],
    ["a schema with capitals", NOWHERE, { schema: "Mine" }],
    ["a schema that is too long", NOWHERE, { schema: "s".repeat(42) }],
    ["an unknown option", NOWHERE, { busyTimeoutMs: 1 }],
    ["a wrong migrate", NOWHERE, { migrate: 1 }],
    ["a lease that is too short", NOWHERE, { leaseMs: 1 }],
  ])("refuses %s as options that can never work, without the password", async (_name, database, options) => {
    const error = await openPostgresExecutionHost(database as string, options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "invalid-options" });
    expect(JSON.stringify([String(error), error])).not.toContain("secret-of-ann");
  });

  it("rejects as retryable where no server answers, without the password", async () => {
    const error = await openPostgresExecutionHost(NOWHERE).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "store-failed", retryable: true });
    expect(String(error)).not.toContain("secret-of-ann");
  });
});
