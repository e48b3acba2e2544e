// Joins the locks of parts, written by `cassette lock`, into the lock of the merged folder.

import { join } from "node:path";
import { formatLock, LOCK_FILE, type Lock, type LockEntry } from "../../cassette/index.js";
import { readLockIfThere } from "../bless/write.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import type { NamedPart, Refused } from "./copy.js";
import { SHARD_FILE, unusable } from "./part.js";

/**
 * The joined lock, and entries that cannot be joined. The lock is undefined if no part has one. Throws `report-unusable` if only some parts
 * have one.
 */
export async function joinLocks(
  parts: readonly NamedPart[],
  into: string,
  io: CommandIo,
): Promise<{ lock: Lock | undefined; refused: Refused[] }> {
  const locks = await Promise.all(
    parts.map(async (part) => ({ part, lock: await readLockIfThere(filesAt(io), join(part.folder, LOCK_FILE)) })),
  );
  const bare = locks.find(({ lock }) => lock === undefined);
  if (locks.every(({ lock }) => lock === undefined)) return { lock: undefined, refused: [] };
  if (bare !== undefined) {
    const hint = "Lock every part, or lock the merged folder instead.";
    throw unusable(bare.part.folder, `has no ${LOCK_FILE}, but another part has one`, hint);
  }
  const lock = new Map<string, LockEntry>();
  const refused: Refused[] = [];
  for (const { part, lock: own = new Map<string, LockEntry>() } of locks) {
    const listed = new Set(part.units.flatMap(({ files }) => files.map(({ path }) => path)));
    for (const [path, entry] of own) {
      if (listed.has(path)) lock.set(path, entry);
      else refused.push({ file: join(part.folder, LOCK_FILE), message: `lists ${path}, but ${SHARD_FILE} does not` });
    }
  }
  const there = await readLockIfThere(filesAt(io), join(into, LOCK_FILE));
  if (there !== undefined && formatLock(there) !== formatLock(lock)) {
    refused.push({
      file: join(into, LOCK_FILE),
      message: "already exists with different contents and is not replaced",
    });
  }
  return { lock, refused };
}
