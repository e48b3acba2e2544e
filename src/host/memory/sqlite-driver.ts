// Which SQLite there is: the one inside Node (`node:sqlite`, from 22.13) or the optional peer `@photostructure/sqlite`, which
// has the same interface. Only the few methods that the store uses are named here.

import { AgentError } from "../../core/index.js";

export interface SqliteStatement {
  run(...values: string[]): { changes: number | bigint };
  get(...values: string[]): unknown;
  all(...values: string[]): unknown[];
}

export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** Opens a file, creating an empty one where there is none. Throws what SQLite says. */
export type OpenSqlite = (path: string) => SqliteDatabase;

/** A module with the interface of `node:sqlite`, or undefined when it is not there. */
export type SqliteSource = () => Promise<unknown>;

const PEER = "@photostructure/sqlite";
const SOURCES: readonly SqliteSource[] = [
  async () => process.getBuiltinModule?.("node:sqlite"),
  async () => (await import(PEER)) as unknown,
];

/** The first of `sources` that is there. Rejects with `AgentError` `capability-missing` when none is. */
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
    hint: `Use Node 22.13 or newer, or install the package ${PEER} beside this one.`,
    ...(failures.length === 0 ? {} : { cause: failures[0] }),
  });
}

/** True when another process holds the file: SQLITE_BUSY or SQLITE_LOCKED, extended codes included. */
export function isBusy(error: unknown): boolean {
  return [5, 6].includes(resultCode(error) & 0xff);
}

/** True for SQLITE_NOTADB. */
export function isNoDatabase(error: unknown): boolean {
  return (resultCode(error) & 0xff) === 26;
}

/** SQLite's own number of what went wrong; 0 when it was not SQLite that failed. */
function resultCode(error: unknown): number {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code : 0;
}
