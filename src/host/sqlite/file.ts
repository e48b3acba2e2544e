// Recognises, creates and sets up a database file of one kind. Any other file is refused before the first write.

import { mkdir, open as openFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { AgentError, thrownText, type AgentErrorCode } from "../../core/index.js";
import { codeOf } from "../files/failure.js";
import { BUSY_PAUSE_MS } from "../limits.js";
import { isBusy, isNoDatabase, type OpenSqlite, type SqliteDatabase } from "./driver.js";

/** A kind of database file: a memory, conversations, or sessions. */
export interface SqliteKind {
  /** The name in messages, such as `memory`. */
  readonly name: string;
  readonly code: AgentErrorCode;
  /** Bytes 68 to 71 of the file, `PRAGMA application_id`. */
  readonly applicationId: number;
  /** The statements that bring a file from version 0, which is empty, to 1, and so on. `PRAGMA user_version` counts them. */
  readonly migrations: readonly string[];
  /** Permissions of a new file. Default: those that SQLite sets. */
  readonly mode?: number;
}

export interface SqliteFileTerms {
  kind: SqliteKind;
  path: string;
  /** How long in ms to wait for another process. */
  busyTimeoutMs: number;
  /** The part of that time that SQLite itself may wait, which blocks the event loop. Default: all of it. */
  blockingMs?: number;
  maxFileBytes: number;
}

/** Opens or creates the database at `path`. Rejects with an `AgentError` that has the code of its kind. */
export async function openSqliteFile(open: OpenSqlite, terms: SqliteFileTerms): Promise<SqliteDatabase> {
  try {
    await mkdir(dirname(terms.path), { recursive: true });
    if (terms.kind.mode !== undefined) await createEmpty(terms.path, terms.kind.mode);
    return await openPatiently(open, terms);
  } catch (error) {
    throw error instanceof AgentError ? error : failed(terms, error);
  }
}

/** Does not open an existing file, because closing it would release the locks that this process holds on it. */
async function createEmpty(path: string, mode: number): Promise<void> {
  try {
    await (await openFile(path, "ax", mode)).close();
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** SQLite itself does not wait while another process creates the write-ahead log of a new file. */
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
    database.exec(`PRAGMA busy_timeout = ${terms.blockingMs ?? terms.busyTimeoutMs}; PRAGMA trusted_schema = OFF;`);
    // In one transaction, because another process may make the tables between two reads.
    database.exec("BEGIN");
    const version = inspect(database, terms);
    database.exec("COMMIT");
    setUp(database, terms);
    if (version < terms.kind.migrations.length) migrate(database, terms);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The version of the file's tables, 0 for an empty file. Throws for any other file and for a newer version. Only reads. */
function inspect(database: SqliteDatabase, { path, kind }: SqliteFileTerms): number {
  const id = pragma(database, "application_id");
  const version = Number(pragma(database, "user_version"));
  const { count } = database.prepare("SELECT count(*) AS count FROM sqlite_schema").get() as { count: number };
  if (id === 0 && version === 0 && count === 0) return 0;
  if (id !== kind.applicationId) {
    throw new AgentError(kind.code, `${path} is another kind of database`, {
      hint: `Give the ${kind.name} its own file.`,
    });
  }
  const known = kind.migrations.length;
  if (version >= 1 && version <= known) return version;
  throw new AgentError(kind.code, `${path} has schema ${version}, and this version supports ${known}`, {
    hint: "Open it with the version of this package that wrote it, or with a newer one.",
  });
}

function setUp(database: SqliteDatabase, { kind, path, maxFileBytes }: SqliteFileTerms): void {
  const mode = pragma(database, "journal_mode = WAL");
  if (mode !== "wal") {
    throw new AgentError(kind.code, `${path} cannot use a write-ahead log: its journal mode is ${mode}`, {
      hint: "Put the file on a writable local disk.",
    });
  }
  // FULL flushes the log at each commit. macOS flushes only with fullfsync.
  database.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;");
  const pages = Math.max(1, Math.floor(maxFileBytes / Number(pragma(database, "page_size"))));
  database.exec(`PRAGMA max_page_count = ${pages};`);
}

/** One process migrates. The next one finds it done. */
function migrate(database: SqliteDatabase, terms: SqliteFileTerms): void {
  const { applicationId, migrations } = terms.kind;
  database.exec("BEGIN IMMEDIATE");
  for (const statements of migrations.slice(inspect(database, terms))) database.exec(statements);
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT;`);
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
    hint: isBusy(error) ? "Another process uses it. Try again." : "Name a file in a writable folder.",
    retryable: isBusy(error),
    cause: error,
  });
}
