// A store on PostgreSQL without its host, for laws: its clock can stand still, it can be emptied, and its locks can be broken.

import pg from "pg";
import { systemPorts } from "../../src/core/index.js";
import { createPostgresEngine } from "../../src/host/postgres/engine.js";
import { migrate } from "../../src/host/postgres/migrate.js";
import { createValues } from "../../src/host/sql/codec.js";
import type { SqlTransaction } from "../../src/host/sql/engine.js";
import { createStore, type SqlStore } from "../../src/host/sql/store.js";
import type { TestServer } from "./servers.js";

export interface RawStore {
  readonly store: SqlStore;
  /** Sets the clock of the store, which stands still from then on. */
  stopClock(nowMs: number): Promise<void>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** `broken` changes the tools of each transaction, or makes a transaction of each call. */
export async function openRawStore(
  server: TestServer,
  broken: ((sql: SqlTransaction) => SqlTransaction) | "torn" = (sql) => sql,
): Promise<RawStore> {
  const schema = server.schema();
  const pool = new pg.Pool({ connectionString: server.url, max: 8 });
  // The server may stop before the last connection has ended.
  pool.on("error", () => undefined);
  await migrate({ pool, schema, ports: systemPorts, mayMigrate: true });
  const engine = createPostgresEngine({ pool, schema, ports: systemPorts, line: undefined, end: () => pool.end() });
  const transaction: typeof engine.transaction = (work) =>
    engine.transaction((sql) => work(broken === "torn" ? sql : broken(sql)));
  const store = createStore({
    engine: { ...engine, transaction },
    ...{ values: createValues(undefined), holder: "me", committed: () => undefined, watch: () => () => undefined },
    randomBytes: (length) => systemPorts.randomBytes(length),
  });
  return {
    store: broken === "torn" ? { ...store, transaction: (work) => work(store) } : store,
    async stopClock(nowMs) {
      const body = `RETURNS BIGINT LANGUAGE SQL AS 'SELECT ms FROM "${schema}".clock'`;
      await server.sql(`CREATE TABLE IF NOT EXISTS "${schema}".clock (ms BIGINT); TRUNCATE "${schema}".clock;
        INSERT INTO "${schema}".clock VALUES (${nowMs}); CREATE OR REPLACE FUNCTION "${schema}".now_ms() ${body}`);
    },
    async empty() {
      const tables = ["sessions", "runs", "checkpoints", "events", "inbox"].map((name) => `"${schema}".${name}`);
      await server.sql(`TRUNCATE ${tables.join(", ")} RESTART IDENTITY`);
    },
    close: () => engine.close(),
  };
}
