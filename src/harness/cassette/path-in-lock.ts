// The path of a cassette in a lock: from the folder of the lock, with `/`, whatever the working folder is.

import { dirname, relative, resolve, sep } from "node:path";
import { CassetteError, isLockPath, readLock, type LockPlace } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

/** A cassette's path as the lock names it; undefined for one that is not below the folder of the lock. */
export function pathInLock(lockFile: string, cassetteFile: string): string | undefined {
  const path = relative(dirname(resolve(lockFile)), resolve(cassetteFile)).replaceAll(sep, "/");
  return isLockPath(path) ? path : undefined;
}

/** The lock of a file, and the path of a cassette in it. Throws `CassetteError` like `readLock`, and `lock-mismatch`. */
export async function openLock(files: FilePort, lockFile: string, cassetteFile: string): Promise<LockPlace> {
  const lock = await readLock(files, lockFile);
  const path = pathInLock(lockFile, cassetteFile);
  if (path !== undefined) return { lock, path };
  throw new CassetteError("lock-mismatch", `${cassetteFile} is not below the folder of the lock ${lockFile}`, {
    file: cassetteFile,
    hint: "Keep the lock in a folder above all its cassettes.",
  });
}
