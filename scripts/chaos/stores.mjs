// Stores for the sweep: a host whose connections fail at one operation, and a host on the same data that is whole. An
// operation is a read, or a statement or commit of a transaction.

import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { systemPorts } from "../../.playhead/modules/core/index.js";
import { createHost } from "../../.playhead/modules/host/durable/host.js";
import { checkHostOptions } from "../../.playhead/modules/host/durable/options.js";
import { FLEET_TABLES } from "../../.playhead/modules/host/sql/schema.js";
import { createPostgresEngine } from "../../.playhead/modules/host/postgres/engine.js";
import { migrate } from "../../.playhead/modules/host/postgres/migrate.js";
import { loadSqlite } from "../../.playhead/modules/host/sqlite/driver.js";
import { createSqliteEngine } from "../../.playhead/modules/host/sqlite/engine.js";
import { openSqliteFile } from "../../.playhead/modules/host/sqlite/file.js";
import { openSqliteExecutionHost, SESSIONS } from "../../.playhead/modules/host/sqlite/open.js";

export const TABLES = ["sessions", "runs", "checkpoints", "events", "inbox", "schedules"];
const FLEET = ["fleet_jobs", "fleet_cells", "fleet_tokens", "fleet_steps"];
const NOBODY = { isAlive: () => true, count: () => 1, release: () => undefined };
const HOSTS = ["a1", "b2"].map((pair) => pair.repeat(16));

/** Rounds at a time. */
const POSTGRES_PLACES = 4;

const toText = (tables) =>
  JSON.stringify(tables, (_name, value) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
    return value?.type === "Buffer" ? Buffer.from(value.data).toString("hex") : value;
  });

const hostOn = (engine, hostId, ports) =>
  createHost({ engine, lives: NOBODY, hostId, options: checkHostOptions({ ports }) });

/** Faults of SQLite: the error codes of https://www.sqlite.org/rescode.html. */
const sqliteError = (errcode, text) => Object.assign(new Error(text), { errcode });
const SQLITE_FAULTS = {
  before: () => {
    throw sqliteError(10, "disk I/O error");
  },
  after: (_database, work) => {
    work();
    throw sqliteError(10, "disk I/O error");
  },
  busy: () => {
    throw sqliteError(5, "database is locked");
  },
  // SQLite itself has undone the transaction.
  full: (database) => {
    try {
      database.exec("ROLLBACK");
    } catch {
      // A read has no transaction.
    }
    throw sqliteError(13, "database or disk is full");
  },
};

function faultySqlite(database, fault, isWriter) {
  const count = (what, work) => {
    if (!fault.isArmed) return work();
    return fault.isNow(what) ? SQLITE_FAULTS[fault.kind](database, work) : work();
  };
  const what = isWriter ? "statement" : "read";
  return {
    close: () => database.close(),
    exec: (text) =>
      text === "COMMIT" || text === "BEGIN IMMEDIATE"
        ? count(text === "COMMIT" ? "commit" : "begin", () => database.exec(text))
        : database.exec(text),
    prepare: (text) => {
      const statement = database.prepare(text);
      if (text.startsWith("PRAGMA")) return statement;
      return {
        get: (...values) => statement.get(...values),
        run: (...values) => count(what, () => statement.run(...values)),
        all: (...values) => count(what, () => statement.all(...values)),
      };
    },
  };
}

/** SQLite: each round has a copy of an empty file, which is not flushed to the disk. */
export async function sqliteStores(folder) {
  const template = join(folder, "template.db");
  const made = await openSqliteExecutionHost(template);
  await made.close();
  const open = await loadSqlite();
  const tables = open(template);
  tables.exec(FLEET_TABLES);
  tables.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  tables.close();
  let files = 0;

  return {
    name: "sqlite",
    kinds: Object.keys(SQLITE_FAULTS),
    // SQLite runs on this thread.
    places: 1,
    async open(fault, ports) {
      const path = join(folder, `sweep-${files++}.db`);
      copyFileSync(template, path);
      const terms = { kind: SESSIONS, path, busyTimeoutMs: 5_000, blockingMs: 0, maxFileBytes: 1e9 };
      const connect = async () => {
        const database = await openSqliteFile(open, terms);
        database.exec("PRAGMA synchronous = OFF");
        return database;
      };
      const engineOn = async (wrap) => {
        const writer = wrap(await connect(), true);
        const reader = wrap(await connect(), false);
        const clock = () => ({ leaseMs: ports.now(), wallMs: ports.now() });
        return createSqliteEngine({
          ...{ path, writer, reader, busyTimeoutMs: 5_000, clock },
          ports: { ...systemPorts, ...ports },
        });
      };
      const engines = [
        await engineOn((database, isWriter) => faultySqlite(database, fault, isWriter)),
        await engineOn((database) => database),
      ];
      const reader = await connect();
      return {
        engines,
        hosts: [await hostOn(engines[0], HOSTS[0], ports), await hostOn(engines[1], HOSTS[1], ports)],
        dump: async () =>
          toText([...TABLES, ...FLEET].map((table) => reader.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all())),
        close: async () => {
          for (const engine of engines) await engine.close();
          reader.close();
          for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
        },
      };
    },
    close: async () => undefined,
  };
}

const pgError = (code, text) => Object.assign(new Error(text), { code });
const cut = (client) => client.connection.stream.destroy();
/** Faults of PostgreSQL. A connection is really cut. */
const POSTGRES_FAULTS = {
  before: async () => {
    throw pgError("53100", "could not extend file: no space left on device");
  },
  after: async (_client, work) => {
    await work();
    throw pgError("53100", "could not extend file: no space left on device");
  },
  "reset before": (client, work) => {
    cut(client);
    return work();
  },
  "reset after": async (client, work) => {
    await work();
    cut(client);
    throw new Error("Connection terminated unexpectedly");
  },
};

const deaf = new WeakSet();

/** Connects. A cut connection also reports that while it is in use. */
async function connectTo(pool) {
  const client = await pool.connect();
  if (!deaf.has(client)) client.on("error", () => undefined);
  deaf.add(client);
  return client;
}

function faultyPool(pool, fault) {
  const count = (what, client, work) => {
    if (!fault.isArmed) return work();
    return fault.isNow(what) ? POSTGRES_FAULTS[fault.kind](client, work) : work();
  };
  const whatIs = (text) => (/^BEGIN/.test(text) ? "begin" : text === "COMMIT" ? "commit" : "statement");
  return {
    options: pool.options,
    async connect() {
      const client = await connectTo(pool);
      return {
        query: (text, values) =>
          text === "ROLLBACK" ? client.query(text) : count(whatIs(text), client, () => client.query(text, values)),
        release: (error) => client.release(error),
        on: () => undefined,
      };
    },
    async query(text, values) {
      const client = await connectTo(pool);
      try {
        const result = await count("read", client, () => client.query(text, values));
        client.release();
        return result;
      } catch (error) {
        client.release(error);
        throw error;
      }
    },
  };
}

const CLOCK = (schema) => `CREATE TABLE "${schema}".clock (ms BIGINT); INSERT INTO "${schema}".clock VALUES (0);
  CREATE OR REPLACE FUNCTION "${schema}".now_ms() RETURNS BIGINT LANGUAGE SQL AS 'SELECT ms FROM "${schema}".clock'`;

/** Numbers that a transaction draws are not given back, so only their order counts. */
const DRAWN = { runs: "seq", inbox: "ord" };

/**
 * A schema that is emptied before each round, with a clock that stands still. It has a database of its own: rounds have the
 * same ids, and locks of lists belong to a database.
 */
async function openPlace(server) {
  const schema = server.schema();
  await server.sql(`CREATE DATABASE ${schema}`);
  const connectionString = Object.assign(new URL(server.url), { pathname: `/${schema}` }).href;
  const pool = new pg.Pool({ connectionString, max: 8 });
  pool.on("error", () => undefined);
  await migrate({ pool, schema, ports: systemPorts, mayMigrate: true });
  await pool.query(CLOCK(schema));
  const all = [...TABLES, ...FLEET];
  // Much faster than TRUNCATE, which makes new files.
  const empty = all.map((table) => `DELETE FROM "${schema}".${table}`).join(";");
  const setClock = (now) => pool.query(`UPDATE "${schema}".clock SET ms = ${now}`);

  async function dump() {
    const rows = all.map(
      (table) => `SELECT coalesce(jsonb_agg(to_jsonb(t)), '[]') AS rows FROM "${schema}".${table} AS t`,
    );
    const results = await pool.query(rows.join(";"));
    const found = results.map(({ rows: [{ rows: own }] }, index) => {
      const drawn = DRAWN[all[index]];
      if (drawn !== undefined)
        own.sort((a, b) => a[drawn] - b[drawn]).forEach((row, place) => void (row[drawn] = place));
      return own.map((row) => JSON.stringify(row)).sort();
    });
    return JSON.stringify(found);
  }

  return {
    dump,
    close: () => pool.end(),
    async open(fault, ports) {
      ports.passed = async (now) => void (await setClock(now));
      await pool.query(empty);
      await setClock(ports.now());
      return [faultyPool(pool, fault), pool].map((own) =>
        createPostgresEngine({
          ...{ pool: own, schema, line: undefined, end: async () => undefined },
          ports: { ...systemPorts, ...ports },
        }),
      );
    },
  };
}

/** PostgreSQL: several schemas, so that rounds run side by side. */
export async function postgresStores(server) {
  const places = [];
  for (let index = 0; index < POSTGRES_PLACES; index++) places.push(await openPlace(server));
  const free = [...places];

  return {
    name: "postgres",
    kinds: Object.keys(POSTGRES_FAULTS),
    places: places.length,
    async open(fault, ports) {
      const place = free.pop();
      const engines = await place.open(fault, ports);
      return {
        engines,
        hosts: [await hostOn(engines[0], HOSTS[0], ports), await hostOn(engines[1], HOSTS[1], ports)],
        dump: place.dump,
        close: async () => {
          for (const engine of engines) await engine.close();
          free.push(place);
        },
      };
    },
    close: async () => {
      for (const place of places) await place.close();
    },
  };
}
