// Names the temporary files of writes, and removes those that a crash left behind.

import { lstat, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { STALE_FILE_MS } from "../limits.js";

const PATTERN = /^\.playhead-[0-9a-f]{12}\.tmp$/;

/** A name so short that it fits next to any target. `random` is six bytes. */
export function temporaryName(random: Uint8Array): string {
  return `.playhead-${Buffer.from(random).toString("hex")}.tmp`;
}

/** Removes our stale temporary files, once for each folder in `swept`. Best effort: a failure does not fail the write. */
export async function sweep(folder: string, swept: Set<string>): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((candidate) => PATTERN.test(candidate))) {
    await removeStale(join(folder, name)).catch(() => undefined);
  }
}

async function removeStale(path: string): Promise<void> {
  const about = await lstat(path);
  if (about.isFile() && Date.now() - about.mtimeMs > STALE_FILE_MS) await unlink(path);
}
