// Finds the cassettes that a path means, and loads them. A failure is a value, so that one bad file does not hide the others.

import { join, resolve } from "node:path";
import { getHeapStatistics } from "node:v8";
import {
  BUNDLE_SUFFIX,
  CASSETTE_SUFFIX,
  listCassettes,
  type Cassette,
  type CassetteStore,
  type LockPlace,
  type Trust,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { isWithin } from "../../host/index.js";
import { CliError, noCassettesIn, toFailure, type Failure } from "../errors.js";
import type { Progress } from "../terminal/progress.js";

/** `names` are relative to the folder, with `/`, sorted. */
export type Target =
  | { kind: "file"; path: string }
  | { kind: "folder"; path: string; names: string[] }
  | { kind: "missing"; path: string };

/**
 * Anything that exists and is not a folder counts as a file. Loading it says what is wrong. `withFailed` finds recordings of failed tests
 * in a folder too.
 */
export async function findTarget(
  files: FilePort,
  path: string,
  { withFailed = false }: { withFailed?: boolean } = {},
): Promise<Target> {
  const names = withFailed ? await files.list(path, CASSETTE_SUFFIX) : await listCassettes(files, path);
  if (names !== undefined) return { kind: "folder", path, names };
  const isMissing = (await files.read(path, 0)).kind === "not-found";
  return { kind: isMissing ? "missing" : "file", path };
}

/** The path of a cassette found in a folder. */
export function pathIn(folder: string, name: string): string {
  return join(folder, name);
}

/** The files below a folder by their suffix, except those in `node_modules`. */
export async function filesBelow(files: FilePort, folder: string, suffix = CASSETTE_SUFFIX): Promise<string[]> {
  const names = (await listCassettes(files, folder, suffix)) ?? [];
  return names.filter((name) => !name.split("/").includes("node_modules")).map((name) => pathIn(folder, name));
}

/** The path itself, or the cassettes of a folder. Throws `CliError` `nothing-found` for a folder without any. */
export async function cassettesAt(files: FilePort, path: string): Promise<string[]> {
  const target = await findTarget(files, path);
  if (target.kind !== "folder") return [path];
  if (target.names.length === 0) throw noCassettesIn(path);
  return target.names.map((name) => pathIn(path, name));
}

const SHOWN_NAMES = 3;

/** Throws `CliError` `usage` for a folder, where `command` takes one file. `suffixes` are those of suitable files. */
export async function assertNoFolder(
  files: FilePort,
  path: string,
  command: string,
  suffixes: readonly string[] = [CASSETTE_SUFFIX],
): Promise<void> {
  const lists = await Promise.all(suffixes.map((suffix) => listCassettes(files, path, suffix)));
  if (lists.every((names) => names === undefined)) return;
  const found = lists.flatMap((names) => names ?? []).map((name) => pathIn(path, name));
  const more = found.length - SHOWN_NAMES;
  const what = suffixes.includes(BUNDLE_SUFFIX) ? "cassette or bundle" : "cassette";
  const hint =
    found.length === 0
      ? `The folder contains no ${what}.`
      : `Name one of them: ${found.slice(0, SHOWN_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
  throw new CliError("usage", `${path} is a folder, and ${command} takes one ${what}`, hint, path);
}

/**
 * Every file that the paths mean, once each, and the folders without any. `known` are files that a lock names: those below a path
 * count too, even if they are missing. `suffixes` filter the names in folders.
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
    const expected = known.filter((file) => isWithin(resolve(cwd, path), resolve(cwd, file)));
    const lists =
      target.kind === "folder" ? await Promise.all(suffixes.map((suffix) => listCassettes(files, path, suffix))) : [];
    const named = lists.flatMap((names) => (names ?? []).map((name) => pathIn(path, name)));
    // A missing path may have been a folder. Then its files are missing.
    const isItself = target.kind === "file" || (target.kind === "missing" && expected.length === 0);
    if (target.kind === "folder" && named.length + expected.length === 0) empty.push(path);
    for (const file of [...(isItself ? [path] : []), ...named, ...expected]) add(file);
  }
  return { found: [...found.values()], empty };
}

/** A cassette that was checked, or its failure. */
export type Loaded =
  { kind: "loaded"; file: string; cassette: Cassette } | { kind: "failed"; file: string; failure: Failure };

export interface LoadOptions {
  /** 64 MiB unless given. */
  maxBytes?: number;
  requireIntegrity?: boolean;
  minVersion?: 1 | 2;
  lock?: LockPlace;
  trust?: Trust;
  requireSignature?: boolean;
}

/** Loads a file without a warning about version 1, which each command reports itself. */
export async function loadRecording(store: CassetteStore, file: string, options: LoadOptions = {}): Promise<Loaded> {
  try {
    const maxMemory = getHeapStatistics().heap_size_limit;
    const cassette = await store.load(file, { ...options, maxMemory, ports: { warn: () => undefined } });
    return { kind: "loaded", file, cassette };
  } catch (error) {
    return { kind: "failed", file, failure: toFailure(error, file) };
  }
}

/** Loads the files one after another, so that one at a time is in memory. */
export async function* loadEach(
  store: CassetteStore,
  paths: readonly string[],
  progress: Progress,
  options: LoadOptions = {},
): AsyncGenerator<Loaded> {
  for (const [index, file] of paths.entries()) {
    progress.step(index, paths.length);
    yield await loadRecording(store, file, options);
  }
  progress.clear();
}
