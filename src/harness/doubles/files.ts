// Files in memory behind the file port. They answer like files on a Linux machine. A law compares the two.

import {
  isPlainObject,
  showValue,
  type FilePort,
  type FileRead,
  type FileRemove,
  type FileWrite,
} from "../../core/index.js";
import { HarnessError } from "../errors.js";
import { locate, type Astray, type Place, type Tree } from "./folders.js";

interface Answers {
  read: FileRead;
  write: FileWrite;
  append: FileWrite;
  remove: FileRemove;
}

const METHODS: readonly unknown[] = ["read", "write", "append", "remove"] satisfies (keyof Answers)[];

export interface MemoryFiles extends FilePort {
  /** Every file by its path, without `.`, `..` and doubled `/`. A test may change it, as another program would. */
  readonly texts: Map<string, string>;
  /** Makes every later call of one method return `answer` and do nothing. */
  fail<Method extends keyof Answers>(method: Method, answer: Answers[Method]): void;
}

/**
 * Files with these texts by path, and the folders that hold them. Names, folders and limits are those of a POSIX system, without
 * permissions and links. Throws `HarnessError` `double-unclear` for files that cannot be on one disk.
 */
export function memoryFiles(initial: Readonly<Record<string, string>> = {}): MemoryFiles {
  const texts = new Map<string, string>();
  const folders = new Set<string>();
  const answers: Partial<Answers> = {};
  const tree: Tree = {
    isFile: (path) => texts.has(path),
    // A test may put a file into a folder that does not exist.
    isFolder: (path) => folders.has(path) || [...texts.keys()].some((file) => file.startsWith(`${path}/`)),
  };
  const find = (path: string) => locate(path, tree);
  const findOrMake = (path: string) => locate(path, { ...tree, make: (made) => folders.add(made) });

  if (!isPlainObject(initial)) throw unclear(`the files of memoryFiles are ${showValue(initial)}`);
  for (const [path, text] of Object.entries(initial) as [string, unknown][]) {
    const place = findOrMake(path);
    if (typeof text !== "string") throw unclear(`the text of ${showValue(path)} is ${showValue(text)}`);
    if (!isFree(place)) throw unclear(`a file cannot have the path ${showValue(path)}: ${whyNot(place)}`);
    texts.set(place.path, text.toWellFormed());
  }
  return {
    texts,
    fail(method, answer) {
      const isAnswer = METHODS.includes(method) && typeof (answer as { kind?: unknown } | undefined)?.kind === "string";
      if (!isAnswer) throw unclear(`fail was given ${showValue(method)} and ${showValue(answer)}`);
      answers[method] = answer;
    },
    async read(path, maxBytes) {
      if (answers.read !== undefined) return answers.read;
      const place = find(path);
      if (place.kind === "failed") return place;
      if (place.kind === "missing" || place.kind === "free") return { kind: "not-found" };
      const text = isFile(place) ? texts.get(place.path) : undefined;
      if (text === undefined) return { kind: "failed", message: "it is not a regular file" };
      const bytes = new TextEncoder().encode(text);
      return bytes.length > maxBytes ? { kind: "too-large", size: bytes.length } : { kind: "read", bytes };
    },
    async write(path, text, { overwrite }) {
      if (answers.write !== undefined) return answers.write;
      const place = findOrMake(path);
      if ((place.kind === "file" || place.kind === "folder") && !overwrite) return { kind: "exists" };
      if (!isFile(place) && !isFree(place)) return notAFile(place, path);
      texts.set(place.path, text.toWellFormed());
      return { kind: "written" };
    },
    async append(path, text) {
      if (answers.append !== undefined) return answers.append;
      const place = findOrMake(path);
      if (!isFile(place) && !isFree(place)) return notAFile(place, path);
      texts.set(place.path, (texts.get(place.path) ?? "") + text.toWellFormed());
      return { kind: "written" };
    },
    async remove(path) {
      if (answers.remove !== undefined) return answers.remove;
      const place = find(path);
      if (place.kind === "missing" || place.kind === "free") return { kind: "not-found" };
      if (!isFile(place)) return notAFile(place, path);
      texts.delete(place.path);
      return { kind: "removed" };
    },
    async list(folder, suffix) {
      const place = find(folder);
      if (place.kind !== "folder") return undefined;
      const paths = pathsBelow(place.path, [...texts.keys()]);
      return paths.filter((path) => path.endsWith(suffix)).sort();
    },
  };
}

function isFile(place: Place | Astray): place is Place & { kind: "file" } {
  return place.kind === "file" && !place.wantsFolder;
}

function isFree(place: Place | Astray): place is Place & { kind: "free" } {
  return place.kind === "free" && !place.wantsFolder;
}

function notAFile(place: Place | Astray, path: string): { kind: "failed"; message: string } {
  if (place.kind === "failed") return place;
  const message = place.kind === "folder" ? "EISDIR: illegal operation on a directory" : "ENOTDIR: not a directory";
  return { kind: "failed", message: `${message}, '${path}'` };
}

function pathsBelow(folder: string, paths: readonly string[]): string[] {
  if (folder === ".") return paths.filter((path) => !path.startsWith("/") && !path.startsWith("../"));
  const start = folder === "/" ? folder : `${folder}/`;
  return paths.flatMap((path) => (path.startsWith(start) ? path.slice(start.length) : []));
}

function whyNot(place: Place | Astray): string {
  if (place.kind === "failed") return place.message;
  return place.kind === "free" ? "it ends like the path of a folder" : "the path is taken";
}

function unclear(what: string): HarnessError {
  const hint = "Give an object of texts by path; `fail` takes a method of the port and its answer.";
  return new HarnessError("double-unclear", what, hint);
}
