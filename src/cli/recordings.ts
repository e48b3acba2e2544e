// Which cassettes does a path mean, and does each of them load? A failure is a value here, so that one bad file does not
// hide the others.

import { join } from "node:path";
import { CASSETTE_SUFFIX, type Cassette, type CassetteStore } from "../cassette/index.js";
import type { FilePort } from "../core/index.js";
import { toFailure, type Failure } from "./errors.js";

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

/** A cassette that was checked, or why there is none. */
export type Loaded =
  { kind: "loaded"; file: string; cassette: Cassette } | { kind: "failed"; file: string; failure: Failure };

/** The part of the loading options that a command may set. */
export interface LoadOptions {
  requireIntegrity?: boolean;
}

/** Version 1 is not warned about here; each command says it in its own place. */
export async function loadRecording(store: CassetteStore, file: string, options: LoadOptions = {}): Promise<Loaded> {
  try {
    const cassette = await store.load(file, { ...options, ports: { warn: () => undefined } });
    return { kind: "loaded", file, cassette };
  } catch (error) {
    return { kind: "failed", file, failure: toFailure(error, file) };
  }
}
