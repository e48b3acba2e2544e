// Memory on disk: one table in one SQLite file, which several processes may share. Each write is one flushed transaction (write-ahead
// log, synchronous = FULL), so it survives a crash once it has returned.
//
// Names are stored as JSON text, so every JavaScript string is possible, lone surrogates and NUL included. Values are stored as canonical
// JSON (RFC 8785), so object keys come back sorted.

import { resolve } from "node:path";
import {
  AgentError,
  assertKnownOptions,
  canonicalize,
  copyJson,
  parseBoundedJson,
  thrownText,
  type JsonValue,
  type RuntimeMemory,
} from "../../core/index.js";
import { assertCount } from "../integer-option.js";
import {
  DEFAULT_BUSY_TIMEOUT_MS,
  DEFAULT_MAX_MEMORY_FILE_BYTES,
  MAX_BUSY_TIMEOUT_MS,
  MAX_MEMORY_NAME_CHARACTERS,
  MAX_MEMORY_VALUE_CHARACTERS,
} from "../limits.js";
import { isBusy, loadSqlite, type SqliteDatabase } from "../sqlite/driver.js";
import { openSqliteFile, type SqliteKind } from "../sqlite/file.js";

/** The kind of file that holds a memory. */
export const MEMORY: SqliteKind = {
  name: "memory",
  code: "memory-failed",
  // "PLHD".
  applicationId: 0x504c4844,
  migrations: [
    "CREATE TABLE memory (scope TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (scope, key)) STRICT;",
  ],
};

/** The options of {@link openSqliteMemory}. */
export interface SqliteMemoryOptions {
  /** How long a call waits for another process, at most 600,000. It blocks the event loop meanwhile. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Limit of the file's size. A write beyond it is refused. Default 1 GiB. */
  readonly maxFileBytes?: number;
}

/** A memory that must be closed. */
export interface SqliteMemory extends RuntimeMemory {
  /** Closes the file. Safe to call twice. Every other call is refused afterwards. */
  close(): void;
}

/**
 * Opens the memory in the file `path`, or creates file and folder. Rejects with `AgentError`: `capability-missing` without a SQLite,
 * `memory-failed` for any other file or a newer version, which is not changed. The calls of the memory throw `memory-failed` with
 * SQLite's error as the cause, retryable while another process uses the file. They throw `not-json` for a value that is not plain JSON.
 */
export async function openSqliteMemory(path: string, options: SqliteMemoryOptions = {}): Promise<SqliteMemory> {
  assertKnownOptions("openSqliteMemory", options, ["busyTimeoutMs", "maxFileBytes"]);
  const { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, maxFileBytes = DEFAULT_MAX_MEMORY_FILE_BYTES } = options;
  assertPath(path);
  assertCount("busyTimeoutMs", busyTimeoutMs, 0, MAX_BUSY_TIMEOUT_MS);
  assertCount("maxFileBytes", maxFileBytes, 65_536, Number.MAX_SAFE_INTEGER);
  // A resolved path is never read as a `file:` address.
  const file = resolve(path);
  const database = await openSqliteFile(await loadSqlite(), { kind: MEMORY, path: file, busyTimeoutMs, maxFileBytes });
  try {
    return createStore(database, file);
  } catch (error) {
    database.close();
    throw new AgentError("memory-failed", `the memory ${file} has no table that can be used: ${thrownText(error)}`, {
      hint: "Choose another file. This one was not changed.",
      cause: error,
    });
  }
}

function createStore(database: SqliteDatabase, path: string): SqliteMemory {
  const statements = {
    get: database.prepare("SELECT value FROM memory WHERE scope = ? AND key = ?"),
    set: database.prepare(
      "INSERT INTO memory VALUES (?, ?, ?) ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value",
    ),
    delete: database.prepare("DELETE FROM memory WHERE scope = ? AND key = ?"),
    keys: database.prepare("SELECT key FROM memory WHERE scope = ?"),
    clear: database.prepare("DELETE FROM memory WHERE scope = ?"),
  };
  let isOpen = true;

  function attempt<T>(what: string, work: () => T): T {
    if (!isOpen) {
      throw new AgentError("memory-failed", `the memory ${path} is closed and cannot ${what}`, {
        hint: "Close it after the last use.",
      });
    }
    try {
      return work();
    } catch (error) {
      if (error instanceof AgentError) throw error;
      const message = `the memory ${path} cannot ${what}: ${thrownText(error)}`;
      throw new AgentError("memory-failed", message, { retryable: isBusy(error), cause: error });
    }
  }

  return {
    get: (scope, key) =>
      attempt("read a value", () => {
        const row = statements.get.get(toName("scope", scope), toName("key", key));
        // Bounded, because others may have edited the file.
        return row === undefined ? undefined : (parseBoundedJson((row as { value: string }).value) as JsonValue);
      }),
    set: (scope, key, value) =>
      attempt("store a value", () => {
        statements.set.run(toName("scope", scope), toName("key", key), toStored(value));
      }),
    delete: (scope, key) =>
      attempt("delete a value", () => {
        return Number(statements.delete.run(toName("scope", scope), toName("key", key)).changes) > 0;
      }),
    keys: (scope) =>
      attempt("list a scope", () => {
        const rows = statements.keys.all(toName("scope", scope)) as { key: string }[];
        // SQLite would sort by code point; a sort without a comparison goes by code unit.
        return rows.map((row) => parseBoundedJson(row.key) as string).sort();
      }),
    clear: (scope) =>
      attempt("clear a scope", () => {
        statements.clear.run(toName("scope", scope));
      }),
    close() {
      if (!isOpen) return;
      isOpen = false;
      database.close();
    },
  };
}

function toName(what: "scope" | "key", name: string): string {
  if (typeof name !== "string") throw refused(`a ${what} is ${typeof name}`, "Pass a string.");
  if (name.length > MAX_MEMORY_NAME_CHARACTERS) {
    const hint = `The limit is ${MAX_MEMORY_NAME_CHARACTERS}. Hash longer names.`;
    throw refused(`a ${what} has ${name.length} characters`, hint);
  }
  return JSON.stringify(name);
}

/** Drops keys whose value is undefined, like every memory. */
function toStored(value: JsonValue): string {
  const text = canonicalize(copyJson(value));
  if (text.length <= MAX_MEMORY_VALUE_CHARACTERS) return text;
  const hint = `The limit is ${MAX_MEMORY_VALUE_CHARACTERS}. Store the value in a file and its name here.`;
  throw refused(`a value has ${text.length} characters of JSON`, hint);
}

function refused(message: string, hint: string): AgentError {
  return new AgentError("memory-failed", message, { hint });
}

function assertPath(path: string): void {
  if (typeof path === "string" && path !== "" && path !== ":memory:" && !path.includes("\0")) return;
  throw new AgentError("invalid-options", `openSqliteMemory cannot open the path ${JSON.stringify(path)}`, {
    hint: "Name a file. For a memory without a file, use createInMemoryRuntimeMemory().",
  });
}
