// Walks a path below a folder without ever leaving it. Each component is entered from the one before, and every symbolic link is refused,
// even one that leads back inside. On Linux (/proc/self/fd) each step goes through the handle of the previous folder, like openat(2), so
// replacing a folder with a link meanwhile has no effect. Elsewhere the real path is checked after opening.

import { constants, existsSync } from "node:fs";
import { lstat, mkdir, open, realpath, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../files/failure.js";
import { isWithin } from "../files/within.js";
import { VerbError } from "./error.js";

/** A path below the root: its components, each checked by `parseTarget`. `[]` is the root itself. */
export type RootPath = readonly string[];

const { O_RDONLY } = constants;
/** O_NONBLOCK prevents waiting for a pipe in place of a file. Windows has none of these flags. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0 } = constants as Partial<typeof constants>;

const FOLDERS_HAVE_NAMES = process.platform === "linux" && existsSync("/proc/self/fd");

/** The path as a target: relative, "." for the root. */
export function shown(path: RootPath): string {
  return path.length === 0 ? "." : path.join("/");
}

/** Calls `use` with the folder of `path`, and its name there. */
export function inParent<T>(
  real: string,
  path: RootPath,
  make: boolean,
  use: (parent: string, name: string) => Promise<T>,
): Promise<T> {
  const name = path.at(-1);
  if (name === undefined) throw new VerbError("argument", "the root is a folder, not a file");
  return inFolder(real, path.slice(0, -1), make, (parent) => use(parent, name));
}

/** Calls `use` with a place that leads to the folder `path` while `use` runs, even if names change meanwhile. */
export async function inFolder<T>(
  real: string,
  path: RootPath,
  make: boolean,
  use: (place: string) => Promise<T>,
): Promise<T> {
  if (!FOLDERS_HAVE_NAMES) return use(await walkByName(real, path, make));
  let handle = await open(real, O_RDONLY | O_DIRECTORY);
  try {
    for (const name of path) {
      const next = await step(`/proc/self/fd/${handle.fd}/${name}`, make);
      await handle.close();
      handle = next;
    }
    return await use(`/proc/self/fd/${handle.fd}`);
  } finally {
    await handle.close();
  }
}

async function step(place: string, make: boolean): Promise<FileHandle> {
  if (make) await makeFolder(place);
  try {
    return await open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    await refuseLink(place);
    throw error;
  }
}

async function walkByName(real: string, path: RootPath, make: boolean): Promise<string> {
  let place = real;
  for (const name of path) {
    place = join(place, name);
    if (make) await makeFolder(place);
    await refuseLink(place);
  }
  await assertInside(real, place);
  return place;
}

async function makeFolder(place: string): Promise<void> {
  await mkdir(place).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

/** Opens a place of {@link inParent}, never through a link, and without waiting for a pipe. */
export async function withFile<T>(
  real: string,
  place: string,
  flags: number,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  await refuseLink(place);
  const handle = await open(place, flags | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!FOLDERS_HAVE_NAMES) await assertSame(real, place, handle);
    return await use(handle);
  } finally {
    await handle.close();
  }
}

/** Throws unless the opened file is the one with that name, without a link. */
async function assertSame(real: string, place: string, handle: FileHandle): Promise<void> {
  await assertInside(real, place);
  const [named, opened] = [await lstat(place), await handle.stat()];
  if (named.ino !== opened.ino || named.dev !== opened.dev) throw behindLink();
}

async function assertInside(real: string, place: string): Promise<void> {
  if (!isWithin(real, await realpath(place))) throw behindLink();
}

async function refuseLink(place: string): Promise<void> {
  const about = await lstat(place).catch(() => undefined);
  if (about?.isSymbolicLink() === true) throw behindLink();
}

export function behindLink(): VerbError {
  return new VerbError("outside-root", "it is a symbolic link or behind one, and links are not followed");
}
