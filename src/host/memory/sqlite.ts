// Memory on disk: one table in one SQLite file, which several processes may share. A write that has returned survives a crash
// of the process at any point, since each is one transaction, flushed (write-ahead log, synchronous = FULL).
//
// Names are kept as their JSON text: so every JavaScript string is one, lone surrogates and NUL included. Values are kept as
// canonical JSON (RFC 8785), so their object keys come back sorted.

import { resolve } from "node:path";
import {
  AgentError,
  assertKnownOptions,
  canonicalize,
  copyJson,
  findTooDeep,
  MAX_JSON_DEPTH,
  thrownText,
  type JsonValue,
  type RuntimeMemory,
} from "../../core/index.js";
import { assertCount } from "../count.js";
import { isBusy, loadSqlite, type SqliteDatabase } from "./sqlite-driver.js";
import { openSqliteFile } from "./sqlite-file.js";

/** The most characters (UTF-16 code units) of a scope, and of a key. */
export const MAX_MEMORY_NAME_CHARACTERS = 1_024;
/** The most characters of one value, as canonical JSON. */
export const MAX_MEMORY_VALUE_CHARACTERS = 8_388_608;

/** The options of {@link openSqliteMemory}. */
export interface SqliteMemoryOptions {
  /** How long a call waits for another process, at most 600,000. It holds the event loop meanwhile. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** The size up to which the file may grow; a write beyond it is refused. Default 1 GiB. */
  readonly maxFileBytes?: number;
}

/** A memory that its maker closes. */
export interface SqliteMemory extends RuntimeMemory {
  /** Lets go of the file. Safe to call twice; every other call is refused from then on. */
  close(): void;
}

const MAX_BUSY_MS = 600_000;

/**
 * Opens the memory in the file `path`, creating file and folder if need be. Rejects with `AgentError`: `capability-missing`
 * without a SQLite, `memory-failed` for a file that is no memory or of a newer version, which is left as it is. The calls of
 * the memory throw `memory-failed` with SQLite's error as the cause (retryable while another process holds the file), and
 * `not-json` for a value that is not plain JSON.
 */
export async function openSqliteMemory(path: string, options: SqliteMemoryOptions = {}): Promise<SqliteMemory> {
  assertKnownOptions("openSqliteMemory", options, ["busyTimeoutMs", "maxFileBytes"]);
  const { busyTimeoutMs = 5_000, maxFileBytes = 1_073_741_824 } = options;
  assertPath(path);
  assertCount("busyTimeoutMs", busyTimeoutMs, 0, MAX_BUSY_MS);
  assertCount("maxFileBytes", maxFileBytes, 65_536, Number.MAX_SAFE_INTEGER);
  // A resolved path is never read as a `file:` address.
  const file = resolve(path);
  const database = await openSqliteFile(await loadSqlite(), { path: file, busyTimeoutMs, maxFileBytes });
  try {
    return createStore(database, file);
  } catch (error) {
    database.close();
    throw new AgentError("memory-failed", `the memory ${file} has no table that can be used: ${thrownText(error)}`, {
      hint: "Choose another file; this one was left as it is.",
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
      throw new AgentError("memory-failed", `the memory ${path} is closed, and cannot ${what}`, {
        hint: "Close it after the last use.",
      });
    }
    try {
      return work();
    } catch (error) {
      if (error instanceof AgentError) throw error;
      const said = `the memory ${path} cannot ${what}: ${thrownText(error)}`;
      throw new AgentError("memory-failed", said, { retryable: isBusy(error), cause: error });
    }
  }

  return {
    get: (scope, key) =>
      attempt("read a value", () => {
        const row = statements.get.get(toName("scope", scope), toName("key", key));
        return row === undefined ? undefined : (parse((row as { value: string }).value) as JsonValue);
      }),
    set: (scope, key, value) =>
      attempt("keep a value", () => {
        statements.set.run(toName("scope", scope), toName("key", key), toText(value));
      }),
    delete: (scope, key) =>
      attempt("delete a value", () => {
        return Number(statements.delete.run(toName("scope", scope), toName("key", key)).changes) > 0;
      }),
    keys: (scope) =>
      attempt("list a scope", () => {
        const rows = statements.keys.all(toName("scope", scope)) as { key: string }[];
        // SQLite would sort by code point; a sort without a comparison goes by code unit.
        return rows.map((row) => parse(row.key) as string).sort();
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
    throw refused(
      `a ${what} has ${name.length} characters`,
      `The most is ${MAX_MEMORY_NAME_CHARACTERS}; hash what is longer.`,
    );
  }
  return JSON.stringify(name);
}

/** Keys whose value is undefined are left out first, as every memory does. */
function toText(value: JsonValue): string {
  const text = canonicalize(copyJson(value));
  if (text.length <= MAX_MEMORY_VALUE_CHARACTERS) return text;
  throw refused(
    `a value has ${text.length} characters of JSON`,
    `The most is ${MAX_MEMORY_VALUE_CHARACTERS}; keep it in a file and its name here.`,
  );
}

/** What was written here is JSON and bounded; a file may have been edited by others since. */
function parse(text: string): unknown {
  const offset = findTooDeep(text, MAX_JSON_DEPTH);
  if (offset !== undefined) throw new SyntaxError(`nested deeper than ${MAX_JSON_DEPTH} levels at ${offset}`);
  return JSON.parse(text) as unknown;
}

function refused(message: string, hint: string): AgentError {
  return new AgentError("memory-failed", message, { hint });
}

function assertPath(path: string): void {
  if (typeof path === "string" && path !== "" && path !== ":memory:" && !path.includes("\0")) return;
  throw new AgentError("invalid-options", `openSqliteMemory cannot open the path ${JSON.stringify(path)}`, {
    hint: "Name a file. For a memory without one use createInMemoryRuntimeMemory().",
  });
}
