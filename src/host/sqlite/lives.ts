// Life locks: each host holds a lock on its own file, which the operating system releases when the process ends, however it ends. A
// frozen process keeps its lock.

import { closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Lives } from "../durable/life.js";
import { driverFailed } from "../sql/failure.js";
import { isBusy, type OpenSqlite, type SqliteDatabase } from "./driver.js";

/** Takes the life lock of `hostId` in `folder`, and removes the files of dead hosts. Throws `store-failed` if it cannot be written to. */
export function openLives(open: OpenSqlite, folder: string, hostId: string): Lives {
  const pathOf = (id: string): string => join(folder, id);
  const own = attempt(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const database = takeOwn(open, pathOf(hostId));
    for (const name of readdirSync(folder)) clear(open, folder, name);
    return database;
  });
  return {
    isAlive: (id) => id === hostId || isLocked(open, pathOf(id)),
    count: () =>
      readdirSync(folder).filter((id) => /^[0-9a-f]{32}$/.test(id) && (id === hostId || isLocked(open, pathOf(id))))
        .length,
    release: () => {
      remove(pathOf(hostId));
      own.close();
    },
  };
}

/** Another host may take the new file for that of a dead host and remove it, so this takes the lock again until the file stays. */
function takeOwn(open: OpenSqlite, path: string): SqliteDatabase {
  for (;;) {
    closeSync(openSync(path, "a", 0o600));
    const own = lock(open, path, 1_000);
    if (own !== undefined) return own;
  }
}

/** Locks the file at `path`. Undefined if the file was removed or replaced meanwhile, because no process would see that lock. */
function lock(open: OpenSqlite, path: string, busyTimeoutMs: number): SqliteDatabase | undefined {
  const before = inodeOf(path);
  const database = open(path);
  const isSame = (): boolean => before !== undefined && inodeOf(path) === before;
  try {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; BEGIN EXCLUSIVE;`);
    if (isSame()) return database;
  } catch (error) {
    // SQLite also fails if the file was removed.
    if (isBusy(error) || isSame()) {
      database.close();
      throw error;
    }
  }
  database.close();
  return undefined;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Removes a file of a dead host. A host that is starting may hold no lock yet: it finds its file removed and takes another one. */
function clear(open: OpenSqlite, folder: string, name: string): void {
  const [id] = /^[0-9a-f]{32}/.exec(name) ?? [];
  if (id === undefined) return;
  try {
    if (!existsSync(join(folder, id))) remove(join(folder, name));
    else isLocked(open, join(folder, id));
  } catch {
    // It stays until its holder is looked for, which reports the error.
  }
}

/** True if a process holds the lock. Otherwise removes the file, and locks it meanwhile, so that no host takes a file about to go. */
function isLocked(open: OpenSqlite, path: string): boolean {
  while (existsSync(path)) {
    let database: SqliteDatabase | undefined;
    try {
      database = lock(open, path, 0);
    } catch (error) {
      if (isBusy(error)) return true;
      throw driverFailed(`the life lock ${path} cannot be tested`, error, false);
    }
    if (database === undefined) continue;
    // The journal first: once the file is gone, both names may belong to another host.
    remove(`${path}-journal`);
    remove(path);
    database.close();
    return false;
  }
  return false;
}

/** A file that cannot be removed does no harm, because it is unlocked. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Windows does not remove an open file.
  }
}

function attempt<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw driverFailed(`the folder of life locks ${folder} cannot be used`, error, isBusy(error));
  }
}
