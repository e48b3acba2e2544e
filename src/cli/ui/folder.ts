// Finds the files of a folder that may be recordings or reports. It reads no file. Links are followed to files in the folder alone.

import { lstatSync, readdirSync, realpathSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { CASSETTE_SUFFIX } from "../../cassette/index.js";
import { isWithin } from "../../host/index.js";
import { MAX_UI_DEPTH, MAX_UI_ENTRIES, MAX_UI_FILES } from "../limits.js";
import { count } from "../terminal/output.js";

/** A file by its path in the folder, with `/`. Equal stamps mean an unchanged file. */
export interface FoundFile {
  readonly path: string;
  readonly stamp: string;
  readonly changedMs: number;
  readonly size: number;
}

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  /** What was left out, as sentences. */
  readonly notes: readonly string[];
}

interface Walk {
  readonly root: string;
  readonly files: FoundFile[];
  entries: number;
  linksOut: number;
  unreadable: number;
  isCut: boolean;
}

/** `root` is a real path. It blocks, which is faster than 10,000 waits: about 50 ms for as many files. */
export function findUiFiles(root: string): FoundFiles {
  const walk: Walk = { root, files: [], entries: 0, linksOut: 0, unreadable: 0, isCut: false };
  visit(walk, "", 0);
  const { files, linksOut, unreadable, isCut } = walk;
  const notes = [
    isCut && `The folder has too much to list: at most ${MAX_UI_FILES} files of ${MAX_UI_ENTRIES} entries are.`,
    linksOut > 0 && `${count(linksOut, "link")} out of the folder ${linksOut === 1 ? "is" : "are"} not followed.`,
    unreadable > 0 && `${count(unreadable, "folder")} cannot be read.`,
  ].filter((note) => note !== false);
  return { files, notes };
}

function visit(walk: Walk, path: string, depth: number): void {
  let entries: Dirent[];
  try {
    entries = readdirSync(join(walk.root, path), { withFileTypes: true });
  } catch {
    walk.unreadable++;
    return;
  }
  for (const entry of entries) {
    if (++walk.entries > MAX_UI_ENTRIES || walk.files.length >= MAX_UI_FILES) {
      walk.isCut = true;
      return;
    }
    const inner = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (depth < MAX_UI_DEPTH) visit(walk, inner, depth + 1);
      else walk.isCut = true;
    } else if (entry.isSymbolicLink()) addLink(walk, inner);
    else if (entry.isFile() && isWanted(entry.name)) add(walk, inner, join(walk.root, inner));
  }
}

function isWanted(name: string): boolean {
  return name.endsWith(".json") || name.endsWith(".jsonl");
}

function addLink(walk: Walk, path: string): void {
  const target = realPathIn(walk.root, path);
  if (target.kind === "inside") {
    if (isWanted(path)) add(walk, path, target.path);
  } else if (target.kind === "outside") {
    walk.linksOut++;
    // A link that looks like a recording is listed, so that its refusal is seen.
    if (path.endsWith(CASSETTE_SUFFIX)) add(walk, path, join(walk.root, path));
  }
}

function add({ files }: Walk, path: string, real: string): void {
  try {
    const stats = lstatSync(real);
    const { mtimeMs, size, ino } = stats;
    if (!stats.isFile() && !stats.isSymbolicLink()) return;
    files.push({ path, stamp: `${mtimeMs} ${size} ${ino}`, changedMs: mtimeMs, size });
  } catch {
    // It was deleted meanwhile.
  }
}

/** Where a path of the folder really leads. `gone`: it does not exist, or cannot be followed. */
export function realPathIn(
  root: string,
  path: string,
): { kind: "inside" | "outside"; path: string } | { kind: "gone" } {
  try {
    const real = realpathSync(join(root, path));
    return { kind: isWithin(root, real) ? "inside" : "outside", path: real };
  } catch {
    return { kind: "gone" };
  }
}
