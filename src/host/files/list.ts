// Lists all files below a folder. Links to folders are followed, each real folder once, so that a link to a folder above does not loop.
// Unreadable folders, pipes and devices are listed like files, so that reading them reports the reason.

import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "./failure.js";

/** Relative paths with `/`, sorted. Undefined if `folder` cannot be read as a folder. */
export async function list(folder: string, suffix: string): Promise<string[] | undefined> {
  const walk: Walk = { root: folder, suffix, found: [], links: [], visited: new Set() };
  try {
    await readdir(folder);
    await walkFolder(walk, "", await realpath(folder));
  } catch {
    return undefined;
  }
  // Real folders come first, so that a file is listed by its own path instead of a link's.
  for (let link = walk.links.shift(); link !== undefined; link = walk.links.shift()) await followLink(walk, link);
  return walk.found.sort();
}

interface Walk {
  root: string;
  suffix: string;
  found: string[];
  links: string[];
  visited: Set<string>;
}

async function walkFolder(walk: Walk, path: string, real: string): Promise<void> {
  if (walk.visited.has(real)) return;
  walk.visited.add(real);
  const entries = await readdir(join(walk.root, path), { withFileTypes: true }).catch((error: unknown) => {
    // A folder may have been deleted meanwhile. One whose name is not UTF-8 cannot be opened, and must be reported.
    if (codeOf(error) !== "ENOENT" || path.includes("\uFFFD")) walk.found.push(path);
    return [];
  });
  // The order must be the same everywhere, because only the first link to a folder is followed.
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const inner = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) await walkFolder(walk, inner, join(real, entry.name));
    else if (entry.isSymbolicLink()) walk.links.push(inner);
    else if (inner.endsWith(walk.suffix)) walk.found.push(inner);
  }
}

/** Lists a broken link if its name has the suffix, so that reading reports it. */
async function followLink(walk: Walk, path: string): Promise<void> {
  const full = join(walk.root, path);
  try {
    const about = await stat(full);
    if (about.isDirectory()) await walkFolder(walk, path, await realpath(full));
    else if (path.endsWith(walk.suffix)) walk.found.push(path);
  } catch (error) {
    if (path.endsWith(walk.suffix) || codeOf(error) === "EACCES") walk.found.push(path);
  }
}
