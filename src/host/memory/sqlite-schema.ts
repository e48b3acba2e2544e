// Recognises, makes and sets up a database file of one kind. Any other file is refused before the first write.

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { AgentError, thrownText, type AgentErrorCode } from "../../core/index.js";
import { BUSY_PAUSE_MS } from "../limits.js";
import { isBusy, isNoDatabase, type OpenSqlite, type SqliteDatabase } from "./sqlite-driver.js";

/** A kind of database file: a memory, or conversations. */
export interface SqliteKind {
  /** In words: `memory`. */
  readonly name: string;
  readonly code: AgentErrorCode;
  /** Bytes 68 to 71 of the file, `PRAGMA application_id`. */
  readonly applicationId: number;
  /** `PRAGMA user_version`, raised whenever the tables change. */
  readonly version: number;
  /** The statements that create the tables. */
  readonly tables: string;
}

export interface SqliteFileTerms {
  kind: SqliteKind;
  path: string;
  busyTimeoutMs: number;
  maxFileBytes: number;
}

/** Opens or makes the database at `path`. Rejects with an `AgentError` that has the code of its kind. */
export async function openSqliteFile(open: OpenSqlite, terms: SqliteFileTerms): Promise<SqliteDatabase> {
  try {
    await mkdir(dirname(terms.path), { recursive: true });
    return await openPatiently(open, terms);
  } catch (error) {
    throw error instanceof AgentError ? error : failed(terms, error);
  }
}

/** SQLite does not wait by itself while another process gives a new file its write-ahead log. */
async function openPatiently(open: OpenSqlite, terms: SqliteFileTerms): Promise<SqliteDatabase> {
  for (let waitedMs = 0; ; waitedMs += BUSY_PAUSE_MS) {
    try {
      return openOnce(open, terms);
    } catch (error) {
      if (!isBusy(error) || waitedMs >= terms.busyTimeoutMs) throw error;
    }
    await setTimeout(BUSY_PAUSE_MS);
  }
}

function openOnce(open: OpenSqlite, terms: SqliteFileTerms): SqliteDatabase {
  const database = open(terms.path);
  try {
    database.exec(`PRAGMA busy_timeout = ${terms.busyTimeoutMs}; PRAGMA trusted_schema = OFF;`);
    const isNew = inspect(database, terms);
    setUp(database, terms);
    if (isNew) create(database, terms);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** True for an empty file. Throws for any other file and any other schema. Only reads. */
function inspect(database: SqliteDatabase, { path, kind }: SqliteFileTerms): boolean {
  const id = pragma(database, "application_id");
  const version = pragma(database, "user_version");
  const { count } = database.prepare("SELECT count(*) AS count FROM sqlite_schema").get() as { count: number };
  if (id === 0 && version === 0 && count === 0) return true;
  if (id !== kind.applicationId) {
    throw new AgentError(kind.code, `${path} is another kind of database`, {
      hint: `Give the ${kind.name} its own file.`,
    });
  }
  if (version === kind.version) return false;
  throw new AgentError(kind.code, `${path} has schema ${version}, and this version knows ${kind.version}`, {
    hint: "Open it with the version of this package that wrote it, or with a newer one.",
  });
}

function setUp(database: SqliteDatabase, { kind, path, maxFileBytes }: SqliteFileTerms): void {
  const mode = pragma(database, "journal_mode = WAL");
  if (mode !== "wal") {
    throw new AgentError(kind.code, `${path} cannot have a write-ahead log; its journal is ${mode}`, {
      hint: "Put the file on a local disk that can be written to.",
    });
  }
  // FULL flushes the log at each commit. macOS flushes only with fullfsync.
  database.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;");
  const pages = Math.max(1, Math.floor(maxFileBytes / Number(pragma(database, "page_size"))));
  database.exec(`PRAGMA max_page_count = ${pages};`);
}

/** A second process finds the table made. */
function create(database: SqliteDatabase, terms: SqliteFileTerms): void {
  const { applicationId, version, tables } = terms.kind;
  database.exec("BEGIN IMMEDIATE");
  if (inspect(database, terms))
    database.exec(`${tables} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version};`);
  database.exec("COMMIT");
}

function pragma(database: SqliteDatabase, text: string): string | number {
  return Object.values(database.prepare(`PRAGMA ${text}`).get() as Record<string, string | number>)[0] ?? "";
}

function failed({ path, kind }: SqliteFileTerms, error: unknown): AgentError {
  if (isNoDatabase(error)) {
    const hint = "Name another file. This one was not changed.";
    return new AgentError(kind.code, `${path} is not a SQLite database`, { hint, cause: error });
  }
  return new AgentError(kind.code, `the ${kind.name} ${path} cannot be opened: ${thrownText(error)}`, {
    hint: isBusy(error) ? "Another process uses it. Try again." : "Name a file in a folder that can be written to.",
    retryable: isBusy(error),
    cause: error,
  });
}
