// All files below a folder. Links to files are named and links to folders followed, each real folder once, so that a link
// to a folder above ends nowhere. What cannot be read is named like a file, so that whoever reads it learns why: a folder, and a
// pipe or a device in the place of a file.

import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "./failure.js";

/** Relative paths with `/`, sorted; undefined when `folder` itself is none that can be read. */
export async function list(folder: string, suffix: string): Promise<string[] | undefined> {
  const walk: Walk = { root: folder, suffix, found: [], links: [], visited: new Set() };
  try {
    await readdir(folder);
    await walkFolder(walk, "", await realpath(folder));
  } catch {
    return undefined;
  }
  // Real folders come first, so that a file is named by its own path before it is by a link's.
  for (let link = walk.links.shift(); link !== undefined; link = walk.links.shift()) await followLink(walk, link);
  return walk.found.sort();
}

interface Walk {
  root: string;
  suffix: string;
  found: string[];
  /** Links not looked at yet, relative like what is found. */
  links: string[];
  /** Real paths of folders. */
  visited: Set<string>;
}

async function walkFolder(walk: Walk, path: string, real: string): Promise<void> {
  if (walk.visited.has(real)) return;
  walk.visited.add(real);
  const entries = await readdir(join(walk.root, path), { withFileTypes: true }).catch((error: unknown) => {
    // One that is gone meanwhile is no matter; one whose name is no UTF-8 cannot be asked for and must not pass unseen.
    if (codeOf(error) !== "ENOENT" || path.includes("\uFFFD")) walk.found.push(path);
    return [];
  });
  // In one order everywhere, since the first link to a folder is the one it is followed by.
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const inner = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) await walkFolder(walk, inner, join(real, entry.name));
    else if (entry.isSymbolicLink()) walk.links.push(inner);
    else if (inner.endsWith(walk.suffix)) walk.found.push(inner);
  }
}

/** A link that leads nowhere is named when its name ends with the suffix; reading says what is wrong with it. */
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
