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
      if (!isOn) return response;
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

/** The folders that differ between two prompts that are the same but for their paths. A folder that would be two is left out. */
export function findFolders(recorded: readonly LlmMessage[], now: readonly LlmMessage[]): Folders {
  const folders = new Map<string, string>();
  const unclear = new Set<string>();
  const after = textsOf(now).map(pathsIn);
  textsOf(recorded).forEach((text, index) => {
    const paths = pathsIn(text);
    if (paths.length !== after[index]?.length) return;
    paths.forEach((path, at) => {
      const [was, is] = withoutCommonEnd(path, after[index]?.[at] as string);
      if (was === is) return;
      const known = folders.get(was);
      if (known !== undefined && known !== is) unclear.add(was);
      folders.set(was, is);
    });
  });
  for (const folder of unclear) folders.delete(folder);
  return folders;
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

/** Cuts off the names at the end that both have, but never all of a path. */
function withoutCommonEnd(was: string, is: string): [string, string] {
  const [before, after] = [was, is].map((path) => path.replace(/[/.]+$/, "").split(/(?=[\\/])/)) as [
    string[],
    string[],
  ];
  while (before.length > 1 && after.length > 1 && before.at(-1) === after.at(-1)) {
    before.pop();
    after.pop();
  }
  return [before.join(""), after.join("")];
}

/** The answer with its folders as they are now, in its text and in the arguments of its calls. Adds each folder that it names to `used`. */
export function moveFolders(response: LlmTurnResponse, folders: Folders, used: Set<string>): LlmTurnResponse {
  if (folders.size === 0) return response;
  const longestFirst = [...folders.keys()].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_.~-])(?:${longestFirst.map(escaped).join("|")})(?![\\p{L}\\p{N}_~-]|\\.[\\p{L}\\p{N}])`,
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
