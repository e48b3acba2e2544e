// Where an imported cassette belongs: one folder for each model, one file for each run. Names in a log are foreign text,
// so nothing of them reaches the file system but letters, digits, dot, underscore and hyphen.

import { sha256Hex } from "../../core/index.js";

const EXTENSION = ".cassette.json";
const MAX_SEGMENT = 100;
/** A task may bring this many folders of its own; further slashes are characters like any other. */
const MAX_FOLDERS = 4;

export interface RunName {
  model: string;
  task: string;
  trial?: string;
}

/** Gives out the paths of one import, no two alike. */
export type PathIssuer = (run: RunName) => string;

/**
 * `<model>/<task>[.<trial>].cassette.json`, relative, with forward slashes. The model is one folder, a "/" in it becomes
 * "_"; a "/" in the task makes a folder (`suite/user_task_1`). Every segment holds only [A-Za-z0-9._-] (all else becomes
 * "_"), is never empty, never "." or "..", never begins with a dot, and has at most 100 characters: a longer one is cut
 * and ends in "_" and eight hex digits of its SHA-256. A path given out before, or one that differs from it in case alone,
 * gets "-2", "-3" … before the extension.
 */
export function createPathIssuer(): PathIssuer {
  const given = new Set<string>();
  return ({ model, task, trial }) => {
    const slashes = task.split("/");
    const folders = slashes.slice(0, Math.min(slashes.length - 1, MAX_FOLDERS));
    const rest = slashes.slice(folders.length).join("_");
    const name = trial === undefined ? rest : `${rest}.${trial}`;
    const parent = [model, ...folders].map((segment) => toSegment(segment, "")).join("/");
    let path = `${parent}/${toSegment(name, EXTENSION)}`;
    for (let count = 2; given.has(path.toLowerCase()); count++) {
      path = `${parent}/${toSegment(name, `-${count}${EXTENSION}`)}`;
    }
    given.add(path.toLowerCase());
    return path;
  };
}

/** One safe segment that ends in `ending`, itself safe. */
function toSegment(name: string, ending: string): string {
  const safe = name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, (dots) => "_".repeat(dots.length)) || "_";
  const room = MAX_SEGMENT - ending.length;
  if (safe.length <= room) return safe + ending;
  const mark = `_${sha256Hex(name.toWellFormed()).slice(0, 8)}`;
  return safe.slice(0, room - mark.length) + mark + ending;
}

/** The name of a log file without its folders and its .gz, .json, .jsonl or .ndjson: `logs/a.jsonl.gz` is `a`. */
export function toStem(source: string): string {
  const name = source.split(/[\\/]/).at(-1) ?? "";
  return name.replace(/\.gz$/i, "").replace(/\.(json|jsonl|ndjson)$/i, "") || "log";
}
