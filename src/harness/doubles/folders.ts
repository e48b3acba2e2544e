// Resolves paths in memory, name by name as POSIX does (IEEE 1003.1-2017 §4.13), with the limits of Linux.

import { MAX_FILE_NAME_BYTES, MAX_FILE_PATH_BYTES } from "../limits.js";

/** Where a path leads: to a folder, to a file, or to a free name in an existing folder. */
export interface Place {
  readonly kind: "folder" | "file" | "free";
  /** Without `.`, `..` and doubled `/`. */
  readonly path: string;
  /** True if the end of the path means a folder. */
  readonly wantsFolder: boolean;
}

/** Why a path leads nowhere: a folder on the way is missing, or the system's error. */
export type Astray = { readonly kind: "missing" } | { readonly kind: "failed"; readonly message: string };

/** The existing files and folders, by paths without `.`, `..` and doubled `/`. */
export interface Tree {
  isFile(path: string): boolean;
  isFolder(path: string): boolean;
  /** Makes a missing folder on the way. */
  make?(path: string): void;
}

export function locate(given: string, tree: Tree): Place | Astray {
  if (given === "") return { kind: "failed", message: "the path is empty" };
  if (given.includes("\0")) return { kind: "failed", message: "the path has a NUL character in it" };
  // As on a disk: half a surrogate pair has no bytes.
  const path = given.toWellFormed();
  if (bytesOf(path) > MAX_FILE_PATH_BYTES) return tooLong(path);
  const names = path.split("/").filter((name) => name !== "");
  const last = names.at(-1) ?? ".";
  const isDots = last === "." || last === "..";
  let at = path.startsWith("/") ? "/" : ".";
  for (const name of isDots ? names : names.slice(0, -1)) {
    const next = step(at, name, tree);
    if (typeof next !== "string") return next;
    at = next;
  }
  if (isDots) return { kind: "folder", path: at, wantsFolder: true };
  if (bytesOf(last) > MAX_FILE_NAME_BYTES) return tooLong(path);
  const full = below(at, last);
  const kind = tree.isFile(full) ? "file" : isFolder(full, tree) ? "folder" : "free";
  return { kind, path: full, wantsFolder: path.endsWith("/") };
}

function step(at: string, name: string, tree: Tree): string | Astray {
  if (name === ".") return at;
  if (name === "..") return above(at);
  if (bytesOf(name) > MAX_FILE_NAME_BYTES) return tooLong(name);
  const path = below(at, name);
  if (isFolder(path, tree)) return path;
  if (tree.isFile(path)) return { kind: "failed", message: `ENOTDIR: not a directory, '${path}'` };
  if (tree.make === undefined) return { kind: "missing" };
  tree.make(path);
  return path;
}

/** The working folder, the folders above it and the root always exist. */
function isFolder(path: string, tree: Tree): boolean {
  return path === "." || path === "/" || isAbove(path) || tree.isFolder(path);
}

/** True for a folder above the working folder. */
function isAbove(path: string): boolean {
  return path.split("/").every((name) => name === "..");
}

function below(folder: string, name: string): string {
  if (folder === ".") return name;
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

function above(folder: string): string {
  if (folder === ".") return "..";
  if (folder === "/") return "/";
  if (isAbove(folder)) return `${folder}/..`;
  const end = folder.lastIndexOf("/");
  return end === -1 ? "." : folder.slice(0, end) || "/";
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function tooLong(path: string): Astray {
  return { kind: "failed", message: `ENAMETOOLONG: name too long, '${path.slice(0, 60).toWellFormed()}…'` };
}
