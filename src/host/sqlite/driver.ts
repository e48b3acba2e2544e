// Finds a SQLite: Node's own (`node:sqlite`, from 22.13) or the optional peer `@photostructure/sqlite`, which has the same interface. Only
// the methods that the host uses are declared here.

import { AgentError, defined } from "../../core/index.js";

/** A value of a column that SQLite can keep. */
export type SqliteValue = string | number | Uint8Array | null;

export interface SqliteStatement {
  run(...values: SqliteValue[]): { changes: number | bigint };
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** Opens a file, or creates an empty one. Throws SQLite's error. */
export type OpenSqlite = (path: string) => SqliteDatabase;

/** Resolves to a module with the interface of `node:sqlite`, or undefined. */
type SqliteSource = () => Promise<unknown>;

const PEER = "@photostructure/sqlite";
const SOURCES: readonly SqliteSource[] = [
  async () => process.getBuiltinModule?.("node:sqlite"),
  async () => (await import(PEER)) as unknown,
];

/** The first available source. Rejects with `AgentError` `capability-missing` if no source is available. */
export async function loadSqlite(sources: readonly SqliteSource[] = SOURCES): Promise<OpenSqlite> {
  const failures: unknown[] = [];
  for (const source of sources) {
    try {
      const found = (await source()) as { DatabaseSync?: new (path: string) => SqliteDatabase } | undefined;
      const Database = found?.DatabaseSync;
      if (Database !== undefined) return (path) => new Database(path);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AgentError("capability-missing", `there is no SQLite in Node ${process.versions.node}`, {
    hint: `Use Node 22.13 or newer, or install the package ${PEER}.`,
    ...defined({ cause: failures[0] }),
  });
}

/** True if another process has locked the file: SQLITE_BUSY or SQLITE_LOCKED, extended codes included. */
export function isBusy(error: unknown): boolean {
  return [5, 6].includes(resultCode(error) & 0xff);
}

/** True for SQLITE_NOTADB. */
export function isNoDatabase(error: unknown): boolean {
  return (resultCode(error) & 0xff) === 26;
}

/** True for SQLITE_FULL and SQLITE_IOERR. The same call may succeed once the disk works again. */
export function isDiskFailure(error: unknown): boolean {
  return [10, 13].includes(resultCode(error) & 0xff);
}

function resultCode(error: unknown): number {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code : 0;
}

/** SQLite has already rolled back after some errors, for example a full disk. */
export function rollBack(database: SqliteDatabase): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // The transaction has already ended.
  }
}
