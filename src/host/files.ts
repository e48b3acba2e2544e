// Files on a disk as the port of core: bounded reads, atomic writes, lists.

import { appendFile, mkdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { thrownText, type FilePort, type FileRemove, type FileWrite } from "../core/index.js";
import { codeOf } from "./files/failure.js";
import { list } from "./files/list.js";
import { createQuickRead, readFile } from "./files/read.js";
import { assertPath, writeWhole } from "./files/write.js";

/** The path of the file `name` in the folder of `path`. Without a name, the path of that folder. */
export function pathBeside(path: string, name = ""): string {
  return join(dirname(path), name);
}

export function nodeFiles(): FilePort {
  const swept = new Set<string>();
  const write: FilePort["write"] = (path, text, options) => writeWhole(path, text, options, swept);
  return { read: readFile, write, append, remove, list };
}

/** Files for a thread that has nothing else to do while it reads. */
export function threadFiles(): FilePort {
  return { ...nodeFiles(), read: createQuickRead() };
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
