// Folders of a recording and those of its replay. A recorded answer names files where they were, and the tools of a client would read and
// write them there. With the filter `path`, the paths of the two prompts are alike in number and order, so they show which folder is which.

import type { LlmMessage, LlmTurnResponse } from "../../core/index.js";
import type { Cassette } from "../file/format.js";
import type { HashFilterOption } from "../prompt/hash-filters.js";
import { rebuildPrompts } from "../prompt/rebuild.js";
import { pathsIn } from "../prompt/text-filters.js";
import { mapMessage } from "../redact/leaves.js";

export interface FolderMover {
  /** The answer of a turn, with its folders as the messages of the request have them. */
  move(response: LlmTurnResponse, turnIndex: number, messages: readonly LlmMessage[]): LlmTurnResponse;
  /** The turns whose answers were changed. */
  readonly moved: ReadonlySet<number>;
}

/** Moves nothing without the filter `path`. Calls `warn` for each folder that it moves for the first time. */
export function createFolderMover(
  cassette: Cassette,
  filters: HashFilterOption | undefined,
  warn: (text: string) => void,
): FolderMover {
  const isOn = Array.isArray(filters) && filters.includes("path");
  const moved = new Set<number>();
  const said = new Set<string>();
  let prompts: readonly (readonly LlmMessage[])[] | undefined;
  return {
    moved,
    move(response, turnIndex, messages) {
      if (!isOn || textsOf([response.message]).every((text) => pathsIn(text).length === 0)) return response;
      prompts ??= rebuildPrompts(cassette) ?? [];
      const folders = findFolders(prompts[turnIndex] ?? [], messages);
      const used = new Set<string>();
      const after = moveFolders(response, folders, used);
      for (const folder of used) {
        moved.add(turnIndex);
        if (said.has(folder)) continue;
        said.add(folder);
        warn(`answers name ${folders.get(folder) ?? ""} in place of the recorded ${folder}`);
      }
      return after;
    },
  };
}

/** Folders by their recorded path: where each is now. */
export type Folders = ReadonlyMap<string, string>;

/**
 * The folders that differ between two prompts that are the same but for their paths. Each path shows one: the shortest part of it that is
 * always in the same place, and that is a folder of the prompt or at the same depth. Without such a part, the shortest one counts.
 */
export function findFolders(recorded: readonly LlmMessage[], now: readonly LlmMessage[]): Folders {
  const pairs = pairPaths(recorded, now);
  const { whole, part } = placesBy(pairs);
  const isSure = ({ was, is }: Place): boolean =>
    (whole.has(was) && !FILE.test(was)) || was.split(SLASH).length === is.split(SLASH).length;
  const folders = new Map<string, string>();
  for (const pair of pairs) {
    const known = pair.filter(({ was, is }) => isOnly(whole.get(was) ?? part.get(was), is));
    const place = known.find(isSure) ?? known[0];
    if (place !== undefined && place.was !== place.is) folders.set(place.was, place.is);
  }
  return folders;
}

const SLASH = /[\\/]/;
const FILE = /[^\\/]\.[^\\/.]+$/;

function isOnly(places: ReadonlySet<string> | undefined, is: string): boolean {
  return places?.size === 1 && places.has(is);
}

interface Place {
  readonly was: string;
  readonly is: string;
}

/** For each path of the two prompts its places, from the shortest one that may have moved to the whole path. */
function pairPaths(recorded: readonly LlmMessage[], now: readonly LlmMessage[]): Place[][] {
  const after = textsOf(now).map(pathsIn);
  return textsOf(recorded).flatMap((text, index) => {
    const paths = pathsIn(text);
    return paths.length === after[index]?.length
      ? paths.map((path, at) => withoutCommonEnds(path, after[index]?.[at] as string))
      : [];
  });
}

/** Where each folder is now, by whole paths, and by paths of something in it. */
function placesBy(pairs: readonly Place[][]): Record<"whole" | "part", ReadonlyMap<string, ReadonlySet<string>>> {
  const whole = new Map<string, Set<string>>();
  const part = new Map<string, Set<string>>();
  for (const places of pairs) {
    for (const place of places) {
      const seen = place === places.at(-1) ? whole : part;
      seen.set(place.was, (seen.get(place.was) ?? new Set()).add(place.is));
    }
  }
  return { whole, part };
}

function textsOf(messages: readonly LlmMessage[]): string[] {
  const texts: string[] = [];
  const take = (text: string): string => {
    texts.push(text);
    return text;
  };
  for (const message of messages) mapMessage(message, take);
  return texts;
}

/** Two paths without the names at the end that both have, one name longer each time. The last ones are whole. */
function withoutCommonEnds(was: string, is: string): Place[] {
  const [before, after] = [was, is].map((path) => path.replace(/[/.]+$/, "").split(/(?=[\\/])/)) as [
    string[],
    string[],
  ];
  const most = Math.min(before.length, after.length) - 1;
  let same = 0;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same++;
  const cut = (names: readonly string[], count: number): string => names.slice(0, names.length - count).join("");
  return Array.from({ length: same + 1 }, (_, index) => ({
    was: cut(before, same - index),
    is: cut(after, same - index),
  }));
}

/** The answer with its folders as they are now, in its text and in the arguments of its calls. Adds each folder that it names to `used`. */
export function moveFolders(response: LlmTurnResponse, folders: Folders, used: Set<string>): LlmTurnResponse {
  if (folders.size === 0) return response;
  const longestFirst = [...folders.keys()].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(
    `(?:(?<![\\p{L}\\p{N}_.~-])|(?<=\\\\[nrt]))(?:${longestFirst.map(escaped).join("|")})(?![\\p{L}\\p{N}_~-]|\\.[\\p{L}\\p{N}])`,
    "gu",
  );
  const move = (text: string): string =>
    text.replace(pattern, (folder) => {
      used.add(folder);
      return folders.get(folder) ?? folder;
    });
  const { reasoning, ...own } = response.message;
  const moved = mapMessage(own, move);
  if (used.size === 0) return response;
  // The signature of a thought holds for its text as it is.
  const message = { ...(moved as typeof own), ...(reasoning === undefined ? {} : { reasoning }) };
  const { finalAnswer } = response;
  return { ...response, message, ...(finalAnswer === undefined ? {} : { finalAnswer: move(finalAnswer) }) };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
