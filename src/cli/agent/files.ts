// The files of a working folder with their hashes. A file is read again only if its size or one of its times changed.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import type { FileState } from "../../cassette/index.js";
import { decodeUtf8 } from "../../core/index.js";
import { MAX_GIT_OUTPUT_BYTES, MAX_WATCHED_FILE_BYTES, MAX_WATCHED_FILES } from "../limits.js";

export type Files = ReadonlyMap<string, FileState>;

export interface FileScan {
  /** By path below the folder, with `/`. */
  readonly files: Files;
  /** What could not be looked at. */
  readonly notes: readonly string[];
}

const run = promisify(execFile);
/** Files that are read at once. */
const READS_AT_ONCE = 16;
/** Folders that are left out where git does not say what to leave out. */
const LEFT_OUT = new Set([".git", "node_modules"]);

/** Returns a function that scans `folder`, without the files in `except`. In a repository, ignored files are left out. */
export function createScanner(folder: string, except: readonly string[]): () => Promise<FileScan> {
  const outside = except.map((path) => relative(folder, resolve(folder, path)).split(sep).join("/"));
  const isOutside = (path: string) => outside.some((one) => path === one || path.startsWith(`${one}/`));
  const known = new Map<string, { stamp: string; state: FileState }>();

  async function stateOf(path: string, note: (text: string) => void): Promise<FileState | undefined> {
    const file = join(folder, path);
    try {
      const stats = await lstat(file, { bigint: true });
      if (stats.isSymbolicLink()) return { link: await readlink(file) };
      if (stats.isDirectory()) {
        note(`${path} is a folder of its own repository`);
        return undefined;
      }
      if (!stats.isFile()) {
        note(`${path} is neither a file nor a link`);
        return undefined;
      }
      const stamp = [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(" ");
      const last = known.get(path);
      if (last?.stamp === stamp) return last.state;
      const size = Number(stats.size);
      if (size > MAX_WATCHED_FILE_BYTES) note(`${path} has more than ${MAX_WATCHED_FILE_BYTES} bytes`);
      const state = size > MAX_WATCHED_FILE_BYTES ? { size } : { size, sha256: await hashOf(file) };
      known.set(path, { stamp, state });
      return state;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // It was deleted meanwhile, or by the agent.
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      note(`${path} cannot be read: ${code}`);
      return {};
    }
  }

  return async () => {
    const notes = new Set<string>();
    const note = (text: string) => void notes.add(text);
    const listed = (await listTracked(folder)) ?? (await listAll(folder));
    const paths = listed.filter((path) => !isOutside(path));
    if (paths.length > MAX_WATCHED_FILES) note(`the folder has more than ${MAX_WATCHED_FILES} files`);
    const watched = paths.slice(0, MAX_WATCHED_FILES).sort();
    const files = new Map<string, FileState>();
    for (let at = 0; at < watched.length; at += READS_AT_ONCE) {
      const batch = watched.slice(at, at + READS_AT_ONCE);
      const states = await Promise.all(batch.map((path) => stateOf(path, note)));
      states.forEach((state, index) => state !== undefined && files.set(batch[index] as string, state));
    }
    return { files, notes: [...notes] };
  };
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** The text of a file, if it is UTF-8. */
export async function readText(folder: string, path: string): Promise<string | undefined> {
  const bytes = await readFile(join(folder, path)).catch(() => undefined);
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

/** True if the repository of a folder ignores it. The root is never ignored. */
async function isIgnored(folder: string): Promise<boolean> {
  return (await git(folder, ["check-ignore", "-q", "--", folder])) !== undefined;
}

/** The tracked and the new files of a repository. Undefined outside a repository, and without git. */
async function listTracked(folder: string): Promise<string[] | undefined> {
  if (await isIgnored(folder)) return undefined;
  const output = await git(folder, ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
  return output === undefined ? undefined : [...new Set(output.split("\0").filter((path) => path !== ""))];
}

async function listAll(folder: string): Promise<string[]> {
  const found: string[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      // One more than the limit shows that it was reached.
      if (LEFT_OUT.has(entry.name) || found.length > MAX_WATCHED_FILES) continue;
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      else found.push(path);
    }
  };
  await walk("");
  return found;
}

/** The repository of the folder: its commit, its branch, and the files that differ from the commit. Undefined outside a repository. */
export async function readRepository(
  folder: string,
): Promise<{ commit?: string; branch?: string; changed: string[] } | undefined> {
  const status = await git(folder, ["status", "--porcelain", "-z", "--no-renames"]);
  if (status === undefined || (await isIgnored(folder))) return undefined;
  const commit = (await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]))?.trim();
  const branch = (await git(folder, ["branch", "--show-current"]))?.trim();
  const changed = status.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)]));
  return {
    ...(commit === undefined || commit === "" ? {} : { commit }),
    ...(branch === undefined || branch === "" ? {} : { branch }),
    changed: changed.slice(0, MAX_WATCHED_FILES),
  };
}

async function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    // A lock of the index would disturb the agent's own git.
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
    const { stdout } = await run("git", args, { cwd: folder, env, maxBuffer: MAX_GIT_OUTPUT_BYTES });
    return stdout;
  } catch {
    return undefined;
  }
}
