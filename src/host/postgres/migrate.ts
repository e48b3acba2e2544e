// Creates the tables in a schema of their own, and updates older ones. One process at a time does so.

import { AgentError, MAX_STORE_WAIT_MS, storeFailed, within, type Ports } from "../../core/index.js";
import { MAX_IDLE_TRANSACTION_MS } from "../limits.js";
import { FLEET_TABLES, MIGRATIONS } from "../sql/schema.js";
import { connectTo, noAnswer, storeName } from "./connection/connections.js";
import { toPostgresTables } from "./dialect.js";
import { pgFailed } from "./connection/failure.js";
import { listKey } from "./lists.js";
import { hashNames } from "../sql/names.js";
import type { PgClient, PgPool } from "./connection/types.js";

/** Definitions for PostgreSQL alone, by the version that adds them. Tests replace the function of the clock. */
const OWN: Readonly<Record<number, string>> = {
  1: `
CREATE FUNCTION now_ms() RETURNS BIGINT LANGUAGE SQL VOLATILE AS
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint';
ALTER TABLE runs SET (fillfactor = 70);
CREATE TABLE effects (key_hash BYTEA PRIMARY KEY, run_hash BYTEA, result TEXT, stored_at BIGINT NOT NULL);
CREATE INDEX effects_stored ON effects (stored_at);
${toPostgresTables(FLEET_TABLES)}`,
};

/** The oldest server that is supported, as `server_version_num`. */
const OLDEST_SERVER = 130_000;

export interface MigrationTerms {
  readonly pool: PgPool;
  readonly schema: string;
  readonly ports: Ports;
  /** If false, an older schema is refused. */
  readonly mayMigrate: boolean;
}

/** Rejects with `store-failed` for a schema of something else and for a newer version, and changes neither. */
export async function migrate({ pool, schema, ports, mayMigrate }: MigrationTerms): Promise<void> {
  const name = storeName(schema);
  const client = await connectTo(pool, ports, name);
  try {
    const found = assertServer(client).then(() => versionOf(client, schema));
    if ((await within(found, MAX_STORE_WAIT_MS, ports, noAnswer(MAX_STORE_WAIT_MS))) < MIGRATIONS.length) {
      if (!mayMigrate) throw outdated(schema);
      // A frozen process must not keep its lock. The statements themselves may take long.
      await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${MAX_IDLE_TRANSACTION_MS}`);
      await client.query(`SELECT pg_advisory_xact_lock(${listKey(hashNames("migration", schema))})`);
      for (const text of stepsFrom(await versionOf(client, schema), schema)) await client.query(text);
      await client.query("COMMIT");
    }
    client.release();
  } catch (error) {
    client.release(true);
    throw error instanceof AgentError ? error : pgFailed(`${name} cannot be opened`, error);
  }
}

function stepsFrom(version: number, schema: string): readonly string[] {
  if (version === MIGRATIONS.length) return [];
  const steps = MIGRATIONS.slice(version).map((ddl, index) => toPostgresTables(ddl) + (OWN[version + index + 1] ?? ""));
  return [
    // `CREATE SCHEMA IF NOT EXISTS` needs the right to create, even if the schema exists.
    `DO $$ BEGIN IF to_regnamespace('"${schema}"') IS NULL THEN CREATE SCHEMA "${schema}"; END IF; END $$`,
    `SET LOCAL search_path TO "${schema}"`,
    ...steps,
    `INSERT INTO meta (name, value) VALUES ('version', '${MIGRATIONS.length}')
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  ];
}

/** The version of the tables, or 0 before they are created. */
async function versionOf(client: PgClient, schema: string): Promise<number> {
  const { rows } = await client.query(
    `SELECT c.relname AS name FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v')`,
    [schema],
  );
  if (rows.length === 0) return 0;
  const isOurs = rows.some(({ name }) => name === "meta");
  const found = isOurs ? await client.query(`SELECT value FROM "${schema}".meta WHERE name = 'version'`) : undefined;
  const version = Number(found?.rows[0]?.["value"]);
  if (!Number.isSafeInteger(version) || version < 1) {
    throw storeFailed(
      `the schema ${schema} contains tables of another program`,
      "Pass another `schema`. Nothing was changed.",
    );
  }
  if (version <= MIGRATIONS.length) return version;
  throw storeFailed(
    `the schema ${schema} has version ${version}, and this version of playhead supports ${MIGRATIONS.length}`,
    "Open it with the version of this package that wrote it, or with a newer one.",
  );
}

async function assertServer(client: PgClient): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  const [{ version, encoding } = {}] = rows;
  if (Number(version) < OLDEST_SERVER)
    throw storeFailed(
      `the server is PostgreSQL ${Math.floor(Number(version) / 10_000)}`,
      "Use PostgreSQL 13 or newer.",
    );
  if (encoding !== "UTF8")
    throw storeFailed(`the encoding of the database is ${String(encoding)}`, "Use a database with the encoding UTF8.");
}

const outdated = (schema: string) =>
  storeFailed(
    `the schema ${schema} does not have the tables of this version`,
    "Open it once with `migrate: true` and a role that may create tables.",
  );
