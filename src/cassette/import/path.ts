// Paths of imported cassettes: one folder for each model, one file for each run. Names in a log are foreign text, so only
// their letters, digits, dots, underscores and hyphens reach the file system.

import { isDeviceName, sha256Hex } from "../../core/index.js";
import { MAX_PATH_SEGMENT_CHARACTERS, MAX_TASK_FOLDERS } from "../limits.js";

const EXTENSION = ".cassette.json";

export interface RunName {
  model: string;
  task: string;
  trial?: string;
}

/**
 * `<model>/<task>[.<trial>].cassette.json`, relative, with forward slashes. The model is one folder; a "/" in the task makes
 * a folder (`suite/user_task_1`). Every segment holds only [A-Za-z0-9._-] (anything else becomes "_"), is never empty, never
 * begins or ends with a dot, and has at most 100 characters: a longer one is cut and ends in "_" and eight hex digits of its
 * SHA-256. The name of a Windows device gets "_" (`nul_.cassette.json`). A path issued before, ignoring case, gets "-2",
 * "-3" … before the extension.
 */
export function createPathIssuer(): (run: RunName) => string {
  const given = new Set<string>();
  /** The number to try next, by the path with the number 2. */
  const nextNumbers = new Map<string, number>();
  return ({ model, task, trial }) => {
    const slashes = task.split("/");
    const folders = slashes.slice(0, Math.min(slashes.length - 1, MAX_TASK_FOLDERS));
    const rest = slashes.slice(folders.length).join("_");
    const name = trial === undefined ? rest : `${rest}.${trial}`;
    const parent = [model, ...folders].map((segment) => toSegment(segment, "")).join("/");
    const numbered = (number: number): string => `${parent}/${toSegment(name, `-${number}${EXTENSION}`)}`;
    let path = `${parent}/${toSegment(name, EXTENSION)}`;
    if (given.has(path.toLowerCase())) {
      const key = numbered(2).toLowerCase();
      let number = nextNumbers.get(key) ?? 2;
      while (given.has(numbered(number).toLowerCase())) number++;
      path = numbered(number);
      nextNumbers.set(key, number + 1);
    }
    given.add(path.toLowerCase());
    return path;
  };
}

/** Makes a segment safe. It ends in `ending`, which is already safe. */
function toSegment(name: string, ending: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, (dots) => "_".repeat(dots.length)) || "_";
  const named = isDeviceName(plain) ? plain.replace(/^[^.]*/, "$&_") : plain;
  const safe = ending === "" && named.endsWith(".") ? `${named}_` : named;
  const room = MAX_PATH_SEGMENT_CHARACTERS - ending.length;
  if (safe.length <= room) return safe + ending;
  const mark = `_${sha256Hex(name.toWellFormed()).slice(0, 8)}`;
  return safe.slice(0, room - mark.length) + mark + ending;
}

/** Returns the name of a log file without its folders, .gz, and .json, .jsonl, .ndjson, .eval or .md: `logs/a.jsonl.gz` gives `a`. */
export function toStem(source: string): string {
  const name = source.split(/[\\/]/).at(-1) ?? "";
  return name.replace(/\.gz$/i, "").replace(/\.(json|jsonl|ndjson|eval|md)$/i, "") || "log";
}
