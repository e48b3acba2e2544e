// `dowse`: finds targets by words: links of one page to its own host, or files below a folder by name and text.

import {
  MAX_DOWSE_ABOUT,
  MAX_DOWSE_FILES,
  MAX_DOWSE_FILE_BYTES,
  MAX_DOWSE_FOLDERS,
  MAX_DOWSE_TARGETS,
} from "../limits.js";
import { decodeText } from "./charset.js";
import { loadContent } from "./content.js";
import { shown, type RootPath } from "./descent.js";
import { VerbError } from "./error.js";
import { linksOf } from "./extract.js";
import { findBinary, mediaTypeOfName } from "./media.js";
import type { World } from "./options.js";
import type { Root } from "./root.js";
import { parseTarget } from "./target.js";
import { countMatches, toWords } from "./words.js";

interface Found {
  readonly targets: readonly { readonly uri: string; readonly about: string; readonly score: number }[];
  /** The number of searched links or files. */
  readonly searched: number;
  /** False when a limit was reached first. */
  readonly complete: boolean;
}

/** A word in the name counts more than one in the text. */
const NAME_WEIGHT = 3;

type Candidate = Found["targets"][number];

export async function dowse(
  { query, below = "." }: { query: string; below?: string },
  world: World,
  signal: AbortSignal,
): Promise<Found> {
  const words = toWords(query);
  if (words.length === 0) throw new VerbError("argument", "the query has no words");
  const target = parseTarget(below, world);
  if (target.kind === "file") return searchFolder(target.root, target.path, words, signal);
  const content = await loadContent(target, world, signal);
  const links = await linksOf(content, signal);
  const near = links.filter(({ uri }) => new URL(uri).host === content.base.host);
  const candidates = near.map(({ uri, text }) => {
    const { pathname, search } = new URL(uri);
    const score = NAME_WEIGHT * countMatches(text, words) + countMatches(readable(pathname + search), words);
    return { uri, about: text, score };
  });
  return { targets: best(candidates), searched: near.length, complete: true };
}

async function searchFolder(
  root: Root,
  below: RootPath,
  words: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  const folders: RootPath[] = [below];
  const candidates: Candidate[] = [];
  let [searched, opened, complete] = [0, 0, true];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    signal.throwIfAborted();
    if (opened++ >= MAX_DOWSE_FOLDERS) return { targets: best(candidates), searched, complete: false };
    const { names, isWhole } = await listOrSkip(root, folder, folder === below);
    complete &&= isWhole;
    for (const name of names) {
      if (name.endsWith("/")) {
        folders.push([...folder, name.slice(0, -1)]);
        continue;
      }
      if (searched++ >= MAX_DOWSE_FILES)
        return { targets: best(candidates), searched: MAX_DOWSE_FILES, complete: false };
      signal.throwIfAborted();
      candidates.push(await searchFile(root, [...folder, name], words));
    }
  }
  return { targets: best(candidates), searched, complete };
}

/** Skips an unreadable folder, unless it is the requested one. */
async function listOrSkip(root: Root, path: RootPath, isRequested: boolean): ReturnType<Root["list"]> {
  try {
    return await root.list(path);
  } catch (error) {
    if (isRequested) throw error;
    return { names: [], isWhole: false };
  }
}

async function searchFile(root: Root, path: RootPath, words: readonly string[]): Promise<Candidate> {
  const uri = shown(path);
  const inName = NAME_WEIGHT * countMatches(uri, words);
  const text = await readText(root, path);
  const inText = countMatches(text, words);
  return { uri, about: inText > 0 ? lineWith(text, words) : "", score: inName + inText };
}

/** "" for a file that is not text or cannot be read. */
async function readText(root: Root, path: RootPath): Promise<string> {
  const media = mediaTypeOfName(path.at(-1) ?? "");
  const read = await root.read(path, MAX_DOWSE_FILE_BYTES).catch(() => undefined);
  if (read === undefined || findBinary(read.bytes, media) !== undefined) return "";
  return decodeText(read.bytes, undefined, false).text;
}

/** The first of the lines with the most words. */
function lineWith(text: string, words: readonly string[]): string {
  let [most, line] = [0, ""];
  for (const candidate of text.split("\n")) {
    const count = countMatches(candidate, words);
    if (count > most) [most, line] = [count, candidate];
  }
  return line.trim().slice(0, MAX_DOWSE_ABOUT).toWellFormed();
}

function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Equal scores keep the order of the page or folder. */
function best(candidates: readonly Candidate[]): Candidate[] {
  return candidates
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_DOWSE_TARGETS);
}
