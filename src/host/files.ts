// Files on a disk: bounded reads and atomic writes. A write goes to a temporary file beside the target, is flushed, and
// then takes the target's name in one step: by `link`, which refuses an existing name, or by `rename`, which replaces it.

import { randomBytes } from "node:crypto";
import { appendFile, link, mkdir, open, readdir, rename, stat, unlink, type FileHandle } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import type { FilePort, FileRead, FileWrite } from "../core/index.js";

/** The files of this machine. */
export function nodeFiles(): FilePort {
  return { read, write, append, list };
}

async function read(path: string, maxBytes: number): Promise<FileRead> {
  let handle: FileHandle | undefined;
  try {
    const about = await stat(path);
    if (!about.isFile()) return { kind: "failed", message: "it is not a regular file" };
    if (about.size > maxBytes) return { kind: "too-large", size: about.size };
    handle = await open(path, "r");
    return await readBounded(handle, maxBytes);
  } catch (error) {
    return codeOf(error) === "ENOENT" ? { kind: "not-found" } : { kind: "failed", message: messageOf(error) };
  } finally {
    await handle?.close();
  }
}

/** Reads one byte more than allowed at the most, since a file may grow between being measured and being read. */
async function readBounded(handle: FileHandle, maxBytes: number): Promise<FileRead> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of handle.createReadStream({ end: maxBytes, autoClose: false })) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
  }
  if (size > maxBytes) return { kind: "too-large", size };
  return { kind: "read", bytes: new Uint8Array(Buffer.concat(chunks)) };
}

async function write(path: string, text: string, { overwrite }: { overwrite: boolean }): Promise<FileWrite> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFlushed(temporary, text);
    if (overwrite) await rename(temporary, path);
    else if (!(await takeName(temporary, path))) return { kind: "exists" };
    await flushFolder(folder);
    return { kind: "written" };
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    return { kind: "failed", message: messageOf(error) };
  }
}

async function writeFlushed(path: string, text: string): Promise<void> {
  const handle = await open(path, "wx");
  try {
    await handle.writeFile(text, "utf8");
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives `from` the name `to`, unless something has that name. `from` is gone either way. */
async function takeName(from: string, to: string): Promise<boolean> {
  const isFree = await link(from, to).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    },
  );
  await unlink(from);
  return isFree;
}

/** Makes the new name itself durable. Windows cannot open a folder; there the rename is as durable as it gets. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function append(path: string, text: string): Promise<FileWrite> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, text, "utf8");
    return { kind: "written" };
  } catch (error) {
    return { kind: "failed", message: messageOf(error) };
  }
}

async function list(folder: string, suffix: string): Promise<string[] | undefined> {
  let entries;
  try {
    entries = await readdir(folder, { recursive: true, withFileTypes: true });
  } catch {
    return undefined;
  }
  return entries
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && entry.name.endsWith(suffix))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
