// Paths of cassettes: where the recordings of one run of a suite go, and what a lock calls a cassette, whatever the working folder is.

import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { CassetteError, isLockPath, readLock, type LockPlace } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

export interface IntoEnvironment {
  readonly CASSETTE_INTO?: string | undefined;
}

/**
 * The path of a new recording: below the folder CASSETTE_INTO, at its path from the working folder. Without the variable, `file` itself.
 * Throws `CassetteError` `invalid-options` for a file outside the working folder.
 */
export function recordingPath({ CASSETTE_INTO: into = "" }: IntoEnvironment, file: string, cwd = ""): string {
  if (into === "") return file;
  const path = relative(cwd, resolve(cwd, file));
  if (path === ".." || /^\.\.[\\/]/.test(path) || isAbsolute(path)) {
    throw new CassetteError("invalid-options", `${file} is outside the working folder, so it has no place in ${into}`, {
      file,
      hint: "Run the command in a folder that contains all its cassettes.",
    });
  }
  return join(into, /[\\/]$/.test(file) ? `${path}/` : path);
}

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
