// The cassettes of a server: found, loaded, sorted and named.

import { basename, resolve } from "node:path";
import {
  CASSETTE_SUFFIX,
  CassetteError,
  createCassetteStore,
  type Cassette,
  type CassetteStore,
  type ImportExtension,
  type ShelfItem,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";
import { findTarget, pathIn } from "../options/recordings.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import type { PrintLine } from "../terminal/output.js";

export type LoadedItem = ShelfItem & { cassette: Cassette };

/** Throws for the first refused cassette: either all of them are served or none. With `note`, a path may be without cassettes. */
export async function loadAll(paths: readonly string[], io: CommandIo, note?: PrintLine): Promise<LoadedItem[]> {
  const files = filesAt(io);
  const store = createCassetteStore(files);
  const items = new Map<string, LoadedItem>();
  for (const path of paths) {
    for (const [file, name] of await findFiles(files, path, note)) {
      const key = resolve(io.cwd, file);
      if (!items.has(key)) items.set(key, await loadItem(store, file, name));
    }
  }
  return [...items.values()];
}

/** Sorted by time of recording, then by name with numbers by value, whatever the order of the paths: a shell puts `run-2` before `run`. */
export function inRecordedOrder(items: readonly LoadedItem[]): LoadedItem[] {
  const timeOf = ({ cassette }: LoadedItem): number => Date.parse(cassette.recordedAt) || 0;
  const nameOf = ({ file }: LoadedItem): string => file.replace(CASSETTE_SUFFIX, "");
  return items.toSorted((a, b) => timeOf(a) - timeOf(b) || byNumber.compare(nameOf(a), nameOf(b)));
}

const byNumber = new Intl.Collator("en", { numeric: true });

/** Paths, with their names in their folder. */
async function findFiles(files: FilePort, path: string, note?: PrintLine): Promise<(readonly [string, string])[]> {
  const target = await findTarget(files, path);
  if (note !== undefined && (target.kind === "missing" || (target.kind === "folder" && target.names.length === 0))) {
    note("there is no cassette yet at ", path);
    return [];
  }
  if (target.kind === "missing") {
    const hint = "Check the path, or record it first: npx playhead record --proxy --target <url> --out <file>.";
    throw new CassetteError("file-not-found", `there is no cassette at ${path}`, { file: path, hint });
  }
  if (target.kind !== "folder") return [[path, path]];
  if (target.names.length > 0) return target.names.map((name) => [pathIn(path, name), name]);
  const message = `${path} holds no *${CASSETTE_SUFFIX} file, so there is nothing to serve`;
  throw new CliError("nothing-found", message, "Check the path, or name the files one by one.", path);
}

async function loadItem(store: CassetteStore, file: string, name: string): Promise<LoadedItem> {
  const cassette = await store.load(file, { ports: { warn: () => undefined } });
  const paths = [file, name, basename(file)];
  const names = [...paths, ...paths.map((path) => path.replace(CASSETTE_SUFFIX, "")), ...taskOf(cassette)];
  return { file, cassette, names };
}

/** The task of an imported cassette. */
function taskOf(cassette: Cassette): string[] {
  if (cassette.version === 1) return [];
  const imported = cassette.extensions?.["import"] as Partial<ImportExtension> | undefined;
  return typeof imported?.task === "string" ? [imported.task] : [];
}

/** Gives a file the shortest end of its path that no other file shares. */
export function namesOf(files: readonly string[]): (file: string) => string {
  const short = shortNames(files);
  return (file) => short.get(file) ?? basename(file);
}

/** By file, the shortest end of its path that no other file shares. */
function shortNames(files: readonly string[]): Map<string, string> {
  const tail = (file: string, parts: number): string => file.split(/[\\/]/).slice(-parts).join("/");
  const shortest = (file: string): string => {
    for (let parts = 1; parts < file.length; parts++) {
      const name = tail(file, parts);
      if (files.filter((other) => tail(other, parts) === name).length === 1) return name;
    }
    return file;
  };
  return new Map(files.map((file) => [file, shortest(file)]));
}
