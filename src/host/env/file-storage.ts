// Storage in one folder: conversations and memory in a SQLite file each, and skills as files.

import { join, resolve } from "node:path";
import { AgentError, assertKnownOptions, thrownText, type Storage } from "../../core/index.js";
import { assertCount } from "../integer-option.js";
import { DEFAULT_BUSY_TIMEOUT_MS, DEFAULT_MAX_STORAGE_FILE_BYTES, MAX_BUSY_TIMEOUT_MS } from "../limits.js";
import { loadSqlite } from "../sqlite/driver.js";
import { openSqliteFile } from "../sqlite/file.js";
import { openSqliteMemory } from "../memory/sqlite.js";
import { CONVERSATIONS, createConversations, type SqliteConversations } from "./conversations.js";
import { openSkills } from "./skills.js";

/** The options of {@link openFileStorage}. */
export interface FileStorageOptions {
  /** How long a call waits for another process, at most 600,000. It blocks the event loop meanwhile. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Limit of each file's size. A write beyond it is refused. Default 16 GiB. */
  readonly maxFileBytes?: number;
}

/** A storage that must be closed. */
export interface FileStorage extends Storage {
  /** Closes both files. Safe to call twice. */
  close(): void;
}

/**
 * Opens the storage in `folder`, or creates it: `conversations.db`, `memory.db` and `skills/<name>/SKILL.md`. Several processes may
 * share it. Rejects with `AgentError`: `capability-missing` without a SQLite, `conversation-failed` or `memory-failed` for another file
 * or a newer version, which is not changed.
 */
export async function openFileStorage(folder: string, options: FileStorageOptions = {}): Promise<FileStorage> {
  assertKnownOptions("openFileStorage", options, ["busyTimeoutMs", "maxFileBytes"]);
  const { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, maxFileBytes = DEFAULT_MAX_STORAGE_FILE_BYTES } = options;
  assertFolder(folder);
  assertCount("busyTimeoutMs", busyTimeoutMs, 0, MAX_BUSY_TIMEOUT_MS);
  assertCount("maxFileBytes", maxFileBytes, 65_536, Number.MAX_SAFE_INTEGER);
  // A resolved path is never read as a `file:` address.
  const root = resolve(folder);
  const conversations = await openConversations(join(root, "conversations.db"), { busyTimeoutMs, maxFileBytes });
  try {
    const memory = await openSqliteMemory(join(root, "memory.db"), { busyTimeoutMs, maxFileBytes });
    const close = (): void => {
      conversations.close();
      memory.close();
    };
    return { conversations, memory, skills: openSkills(join(root, "skills")), close };
  } catch (error) {
    conversations.close();
    throw error;
  }
}

async function openConversations(path: string, terms: Required<FileStorageOptions>): Promise<SqliteConversations> {
  const database = await openSqliteFile(await loadSqlite(), { kind: CONVERSATIONS, path, ...terms });
  try {
    return createConversations(database, path);
  } catch (error) {
    database.close();
    throw new AgentError(
      "conversation-failed",
      `the conversations ${path} have no usable table: ${thrownText(error)}`,
      {
        hint: "Choose another folder. This file was not changed.",
        cause: error,
      },
    );
  }
}

function assertFolder(folder: string): void {
  if (typeof folder === "string" && folder !== "" && !folder.includes("\0")) return;
  throw new AgentError("invalid-options", `openFileStorage cannot open the folder ${JSON.stringify(folder)}`, {
    hint: "Name a folder. For a storage without one, use createInMemoryStorage().",
  });
}
