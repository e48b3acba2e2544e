// Operations on files below one folder (see descent.ts), with messages for the model. Hard links and mounts below the root belong to it.

import { constants, realpathSync, statSync, type Stats } from "node:fs";
import { access, lstat, opendir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { AgentError, defined } from "../../core/index.js";
import { writeWhole } from "../files/write.js";
import { codeOf } from "../files/failure.js";
import { MAX_FOLDER_ENTRIES } from "../limits.js";
import { behindLink, inFolder, inParent, shown, withFile, type RootPath } from "./descent.js";
import { VerbError } from "./error.js";

type RootEntry =
  | { readonly kind: "file"; readonly size: number; readonly modified: Date }
  | { readonly kind: "folder"; readonly modified: Date };

interface RootFile {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

export interface RootAccess {
  readonly kind: RootEntry["kind"];
  readonly readable: boolean;
  readonly writable: boolean;
}

/** Everything rejects with `VerbError`, whose message has the path as the caller wrote it and nothing above it. */
export interface Root {
  describe(path: RootPath): Promise<RootEntry>;
  read(path: RootPath, maxBytes: number): Promise<RootFile>;
  /** The sorted names of files and folders. Folders end with "/". Anything else, and a name that no path can have, is left out. */
  list(path: RootPath): Promise<{ names: string[]; isWhole: boolean }>;
  access(path: RootPath): Promise<RootAccess>;
  /** Atomic; makes missing folders. */
  write(path: RootPath, data: string | Uint8Array, overwrite: boolean): Promise<void>;
  append(path: RootPath, data: string | Uint8Array): Promise<void>;
}

/** Throws `AgentError` `invalid-options` unless `folder` is a folder. A link as the root is followed here, once. */
export function openRoot(folder: string): Root {
  const real = realRoot(folder);

  const describe = (path: RootPath): Promise<RootEntry> =>
    reworded(path, async () => {
      if (path.length === 0) return entryOf(await lstat(real), path);
      return inParent(real, path, false, async (parent, name) => entryOf(await lstat(join(parent, name)), path));
    });

  return {
    describe,
    read: (path, maxBytes) =>
      reworded(path, () =>
        inParent(real, path, false, (parent, name) =>
          withFile(real, join(parent, name), constants.O_RDONLY, async (handle) => {
            assertFile(await handle.stat(), path);
            const bytes = await readUpTo(handle, maxBytes + 1);
            return { bytes: bytes.subarray(0, maxBytes), isWhole: bytes.length <= maxBytes };
          }),
        ),
      ),
    list: (path) => reworded(path, () => inFolder(real, path, false, listNames)),
    access: (path) =>
      reworded(path, async () => {
        const { kind } = await describe(path);
        const ask = async (place: string) => ({
          kind,
          readable: await may(place, constants.R_OK),
          writable: await may(place, constants.W_OK),
        });
        if (kind === "folder") return inFolder(real, path, false, ask);
        return inParent(real, path, false, (parent, name) => ask(join(parent, name)));
      }),
    write: (path, data, overwrite) =>
      reworded(path, () =>
        inParent(real, path, true, async (parent, name) => {
          await assertReplaceable(join(parent, name), path);
          const written = await writeWhole(join(parent, name), data, { overwrite });
          if (written.kind === "written") return;
          if (written.kind === "exists") throw new VerbError("exists", `${shown(path)} already exists`);
          throw new VerbError("failed", `${shown(path)} could not be written`, written.message);
        }),
      ),
    append: (path, data) =>
      reworded(path, () =>
        inParent(real, path, true, async (parent, name) => {
          await assertReplaceable(join(parent, name), path);
          const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
          await withFile(real, join(parent, name), flags, async (handle) => {
            assertFile(await handle.stat(), path);
            await handle.appendFile(data);
          });
        }),
      ),
  };
}

function realRoot(folder: string): string {
  try {
    const real = realpathSync.native(folder);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw noRoot(folder, error);
  }
  throw noRoot(folder);
}

function noRoot(folder: string, cause?: unknown): AgentError {
  return new AgentError("invalid-options", `createVerbs: the root ${JSON.stringify(folder)} is not a folder`, {
    hint: "Pass the path of an existing folder.",
    ...defined({ cause }),
  });
}

async function assertReplaceable(place: string, path: RootPath): Promise<void> {
  const about = await lstat(place).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (about !== undefined) assertFile(about, path);
}

function entryOf(about: Stats, path: RootPath): RootEntry {
  if (about.isSymbolicLink()) throw behindLink();
  if (about.isDirectory()) return { kind: "folder", modified: about.mtime };
  if (about.isFile()) return { kind: "file", size: about.size, modified: about.mtime };
  throw new VerbError("bad-target", `${shown(path)} is neither a file nor a folder`);
}

function assertFile(about: Stats, path: RootPath): void {
  if (entryOf(about, path).kind === "file") return;
  throw new VerbError("bad-target", `${shown(path)} is a folder, not a file`);
}

async function readUpTo(handle: FileHandle, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of handle.createReadStream({ end: most - 1, autoClose: false })) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
  }
  return Buffer.concat(chunks, size);
}

async function listNames(place: string): Promise<{ names: string[]; isWhole: boolean }> {
  const names: string[] = [];
  let seen = 0;
  for await (const entry of await opendir(place)) {
    if (++seen > MAX_FOLDER_ENTRIES) break;
    // A path of the verbs has no backslash.
    if (entry.name.includes("\\")) continue;
    if (entry.isDirectory()) names.push(`${entry.name}/`);
    else if (entry.isFile()) names.push(entry.name);
  }
  return { names: names.sort(), isWhole: seen <= MAX_FOLDER_ENTRIES };
}

async function may(place: string, mode: number): Promise<boolean> {
  return access(place, mode).then(
    () => true,
    () => false,
  );
}

/** Replaces the system's messages, which contain whole paths. */
async function reworded<T>(path: RootPath, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerbError) {
      throw error.code === "outside-root" ? new VerbError(error.code, `${shown(path)}: ${error.message}`) : error;
    }
    const code = codeOf(error) ?? "unknown reason";
    if (code === "ENOENT" || code === "ENOTDIR") throw new VerbError("not-found", `there is no ${shown(path)}`, error);
    if (code === "ELOOP") throw new VerbError("outside-root", `${shown(path)}: ${behindLink().message}`, error);
    throw new VerbError("failed", `${shown(path)} could not be opened (${code})`, error);
  }
}
