// Which cassettes does a path mean, and does each of them load? A failure is a value here, so that one bad file does not
// hide the others.

import { join, resolve, sep } from "node:path";
import { getHeapStatistics } from "node:v8";
import {
  CASSETTE_SUFFIX,
  type Cassette,
  type CassetteStore,
  type LockPlace,
  type Trust,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { toFailure, type Failure } from "../errors.js";

/** `names` are relative to the folder, with `/`, sorted. */
export type Target =
  | { kind: "file"; path: string }
  | { kind: "folder"; path: string; names: string[] }
  | { kind: "missing"; path: string };

/** Looks at what a path is. A name that is there but no folder counts as a file; loading says what is wrong with it. */
export async function findTarget(files: FilePort, path: string): Promise<Target> {
  const names = await files.list(path, CASSETTE_SUFFIX);
  if (names !== undefined) return { kind: "folder", path, names };
  const isMissing = (await files.read(path, 0)).kind === "not-found";
  return { kind: isMissing ? "missing" : "file", path };
}

/** The path of a cassette found in a folder. */
export function pathIn(folder: string, name: string): string {
  return join(folder, name);
}

/**
 * Every file that the paths mean, once however often it was named, and the folders that hold none. `known` are files that a
 * lock names: those below a path are meant too, also when they are gone. `suffixes` are what names end with in a folder.
 */
export async function findFiles(
  files: FilePort,
  paths: readonly string[],
  cwd: string,
  { known = [], suffixes = [CASSETTE_SUFFIX] }: { known?: readonly string[]; suffixes?: readonly string[] } = {},
): Promise<{ found: string[]; empty: string[] }> {
  const found = new Map<string, string>();
  const empty: string[] = [];
  const add = (file: string): unknown => found.has(resolve(cwd, file)) || found.set(resolve(cwd, file), file);
  for (const path of paths) {
    const target = await findTarget(files, path);
    const expected = known.filter((file) => isBelow(resolve(cwd, path), resolve(cwd, file)));
    const lists = target.kind === "folder" ? await Promise.all(suffixes.map((suffix) => files.list(path, suffix))) : [];
    const named = lists.flatMap((names) => (names ?? []).map((name) => pathIn(path, name)));
    // A path that is gone may have been a folder; then what is missing is what was in it.
    const isItself = target.kind === "file" || (target.kind === "missing" && expected.length === 0);
    if (target.kind === "folder" && named.length + expected.length === 0) empty.push(path);
    for (const file of [...(isItself ? [path] : []), ...named, ...expected]) add(file);
  }
  return { found: [...found.values()], empty };
}

function isBelow(folder: string, file: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A cassette that was checked, or why there is none. */
export type Loaded =
  { kind: "loaded"; file: string; cassette: Cassette } | { kind: "failed"; file: string; failure: Failure };

/** The part of the loading options that a command may set. */
export interface LoadOptions {
  /** 64 MiB unless given. */
  maxBytes?: number;
  requireIntegrity?: boolean;
  minVersion?: 1 | 2;
  lock?: LockPlace;
  trust?: Trust;
  requireSignature?: boolean;
}

/** Version 1 is not warned about here; each command says it in its own place. */
export async function loadRecording(store: CassetteStore, file: string, options: LoadOptions = {}): Promise<Loaded> {
  try {
    const maxMemory = getHeapStatistics().heap_size_limit;
    const cassette = await store.load(file, { ...options, maxMemory, ports: { warn: () => undefined } });
    return { kind: "loaded", file, cassette };
  } catch (error) {
    return { kind: "failed", file, failure: toFailure(error, file) };
  }
}
