// Atomic writes. A write goes to a temporary file next to the target, is flushed, and then takes the target's name in one step: with
// `link`, which refuses an existing name, or with `rename`, which replaces it.

import { randomBytes } from "node:crypto";
import { access, constants, link, mkdir, open, rename, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { thrownText, type FileWrite } from "../../core/index.js";
import { codeOf, isUnsupported } from "./failure.js";
import { sweep, temporaryName } from "./temporary-name.js";

/** {@link FilePort}'s `write`, also for bytes. `swept` are the folders whose stale temporary files were removed. */
export async function writeWhole(
  path: string,
  data: string | Uint8Array,
  { overwrite, mode: asked }: { overwrite: boolean; mode?: number },
  swept: Set<string> = new Set(),
): Promise<FileWrite> {
  const folder = dirname(path);
  const temporary = join(folder, temporaryName(randomBytes(6)));
  try {
    assertPath(path);
    const mode = (overwrite ? await modeToKeep(path) : undefined) ?? asked;
    await mkdir(folder, { recursive: true });
    await sweep(folder, swept);
    await writeFlushed(temporary, data, mode);
    if (overwrite) await rename(temporary, path);
    else if (!(await takeName(temporary, path))) return { kind: "exists" };
    await flushFolder(folder);
    return { kind: "written" };
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    return { kind: "failed", message: thrownText(error) };
  }
}

/** The result of a rename. */
export type FileRename = { kind: "renamed" } | { kind: "not-found" } | { kind: "failed"; message: string };

/** Gives a file another name in its folder. If several callers rename the same file, one succeeds. Replaces a file that has the name. */
export async function renameFlushed(path: string, name: string): Promise<FileRename> {
  try {
    assertPath(path);
    await rename(path, join(dirname(path), name));
    await flushFolder(dirname(path));
    return { kind: "renamed" };
  } catch (error) {
    return codeOf(error) === "ENOENT" ? { kind: "not-found" } : { kind: "failed", message: thrownText(error) };
  }
}

/** An empty text would mean the working folder, and a NUL would cut the path. */
export function assertPath(path: string): void {
  if (path === "") throw new Error("the path is empty");
  if (path.includes("\0")) throw new Error("the path has a NUL character in it");
}

/** The permissions of the file to replace, if there is one. Throws for a read-only file. */
async function modeToKeep(path: string): Promise<number | undefined> {
  const about = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (about === undefined || about.isDirectory()) return undefined;
  // A rename would replace a device or a pipe with a file.
  if (!about.isFile()) throw new Error("it is not a regular file");
  // A rename ignores the file's permissions, and so does root. They count all the same.
  if ((about.mode & 0o222) === 0) throw new Error("it is read-only");
  await access(path, constants.W_OK);
  return about.mode & 0o777;
}

async function writeFlushed(path: string, data: string | Uint8Array, mode: number | undefined): Promise<void> {
  const handle = await open(path, "wx", mode === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(data, "utf8");
    if (mode !== undefined) await handle.chmod(mode).catch(unlessUnsupported);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives `from` the name `to`, unless that exists. Removes `from` either way. */
async function takeName(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    if (isUnsupported(error)) return takeNameByCreating(from, to);
    if (codeOf(error) !== "EEXIST") throw error;
    await unlink(from);
    return false;
  }
  await unlink(from);
  return true;
}

/** For disks without hard links (FAT, some network drives). A crash between the two steps leaves an empty file. */
async function takeNameByCreating(from: string, to: string): Promise<boolean> {
  try {
    await (await open(to, "wx")).close();
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    await unlink(from);
    return false;
  }
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    await unlink(to);
    throw error;
  }
}

/** Makes the new name itself durable, if the folder can be opened and flushed (not on Windows, nor without permission to read it). */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, "r");
    await handle.sync();
  } catch (error) {
    if (codeOf(error) !== "EACCES") unlessUnsupported(error);
  } finally {
    await handle?.close();
  }
}

function unlessUnsupported(error: unknown): void {
  if (!isUnsupported(error)) throw error;
}
