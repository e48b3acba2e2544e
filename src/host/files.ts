// Files on a disk as the port of core: bounded reads, atomic writes, lists.

import { appendFile, constants, mkdir, open, readdir, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { thrownText, type FilePort, type FileRead, type FileRemove, type FileWrite } from "../core/index.js";
import { codeOf } from "./files/failure.js";
import { list } from "./files/list.js";
import { readBounded } from "./files/read.js";
import { assertPath, writeWhole } from "./files/write.js";

/** Opens a pipe at once, even without a writer. Windows has no such flag. */
const READ_AND_NEVER_WAIT = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The path of a file in the folder of another, or without a name the folder itself. */
export function pathBeside(path: string, name = ""): string {
  return join(dirname(path), name);
}

export function nodeFiles(): FilePort {
  const swept = new Set<string>();
  return { read, write: (path, text, options) => writeWhole(path, text, options, swept), append, remove, list };
}

async function read(path: string, maxBytes: number): Promise<FileRead> {
  let handle: FileHandle | undefined;
  try {
    assertPath(path);
    const about = await stat(path);
    // `list` names folders that cannot be read, so the folder's own error is reported here.
    if (about.isDirectory()) await readdir(path);
    if (!about.isFile()) return { kind: "failed", message: "it is not a regular file" };
    if (about.size > maxBytes) return { kind: "too-large", size: about.size };
    handle = await open(path, READ_AND_NEVER_WAIT);
    // The file may have been replaced since, so the opened one is checked again.
    const opened = await handle.stat();
    if (!opened.isFile()) return { kind: "failed", message: "it is not a regular file" };
    return await readBounded(handle, opened.size, maxBytes);
  } catch (error) {
    return codeOf(error) === "ENOENT" ? { kind: "not-found" } : { kind: "failed", message: thrownText(error) };
  } finally {
    await handle?.close();
  }
}

async function append(path: string, text: string): Promise<FileWrite> {
  try {
    assertPath(path);
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, text, "utf8");
    return { kind: "written" };
  } catch (error) {
    return { kind: "failed", message: thrownText(error) };
  }
}

async function remove(path: string): Promise<FileRemove> {
  try {
    assertPath(path);
    await unlink(path);
    return { kind: "removed" };
  } catch (error) {
    return codeOf(error) === "ENOENT" ? { kind: "not-found" } : { kind: "failed", message: thrownText(error) };
  }
}
