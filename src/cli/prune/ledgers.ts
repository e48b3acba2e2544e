// Reads the ledgers for `cassette prune`. Each must be complete and about these cassettes, because otherwise a used cassette would look
// unused and be deleted.

import { basename, dirname, join, resolve } from "node:path";
import { realpath } from "node:fs/promises";
import type { FilePort } from "../../core/index.js";
import { isWithin } from "../../host/index.js";
import { readLedger } from "../child/ledger-reader.js";
import { CliError } from "../errors.js";
import { count } from "../terminal/output.js";

export interface LedgerOptions {
  ledger?: readonly string[];
  /** A folder of ledgers. */
  from?: string;
}

/** The cassettes that a ledger names, as real paths. */
interface NamedLedger {
  path: string;
  used: string[];
  /** The part of `used` that a run replayed or recorded, which must exist. */
  finished: string[];
}

const AGAIN = "Run all tests with CASSETTE_LEDGER set to this file.";
const SHOWN_MISSING = 5;

/** Throws {@link CliError} `ledger-unreadable` for a missing or damaged ledger, and for a missing shard. */
export async function readLedgers(files: FilePort, options: LedgerOptions, cwd: string): Promise<NamedLedger[]> {
  const paths = [...(options.ledger ?? []), ...(await listLedgers(files, options.from))];
  assertShards(paths);
  const ledgers: NamedLedger[] = [];
  for (const path of paths) {
    if ((await files.read(path, 0)).kind === "not-found") throw refused(path, `there is no ledger at ${path}`, AGAIN);
    const { lines, named, unreadable } = await readLedger(files, resolve(cwd, path));
    if (unreadable > 0) throw refused(path, `${path} is not a ledger, or is damaged`, AGAIN);
    // The recording of a failed test is not a cassette yet.
    const done = lines.filter(({ mode }) => mode !== "failed");
    const finished = await Promise.all(done.map((line) => realPath(line.path, cwd)));
    const others = await Promise.all(named.map((file) => realPath(file, cwd)));
    ledgers.push({ path, used: [...finished, ...others], finished });
  }
  if (ledgers.some(({ used }) => used.length > 0)) return ledgers;
  const [first = "the ledger"] = paths;
  const hint = "Run all tests with CASSETTE_LEDGER set to that file.";
  throw refused(first, `${first} names no cassette, so every cassette would be an orphan`, hint);
}

async function listLedgers(files: FilePort, from: string | undefined): Promise<string[]> {
  if (from === undefined) return [];
  const names = await files.list(from, ".jsonl");
  if (names === undefined)
    throw refused(from, `${from} is not a folder that can be read`, "Name the folder of the ledgers.");
  if (names.length === 0) throw refused(from, `${from} has no ledger (*.jsonl)`, AGAIN);
  return names.map((name) => join(from, name));
}

/** A run in shards writes `1-of-3.jsonl`, `ledger-1-of-3.jsonl` and so on. A shard with a failed test writes none. */
function assertShards(paths: readonly string[]): void {
  const sets = new Map<string, { folder: string; stem: string; total: number; seen: Set<number> }>();
  for (const path of paths) {
    const [, stem = "", index, total] = /^(.*?)(\d+)-of-(\d+)\.jsonl$/.exec(basename(path)) ?? [];
    if (index === undefined || total === undefined) continue;
    const folder = dirname(path);
    const key = JSON.stringify([folder, stem, total]);
    const set = sets.get(key) ?? { folder, stem, total: Number(total), seen: new Set() };
    sets.set(key, { ...set, seen: set.seen.add(Number(index)) });
  }
  for (const { folder, stem, total, seen } of sets.values()) {
    const missing: string[] = [];
    for (let index = 1; index <= total && missing.length < SHOWN_MISSING; index++) {
      if (!seen.has(index)) missing.push(`${stem}${index}-of-${total}.jsonl`);
    }
    if (missing.length === 0) continue;
    const more = total - seen.size > missing.length ? " and more" : "";
    const message = `${folder} lacks ledgers of a run in ${total} shards: ${missing.join(", ")}${more}`;
    throw refused(folder, message, "Add them. A shard with a failed test writes none.");
  }
}

/**
 * Throws {@link CliError} `ledger-unreadable` for a ledger of another checkout or an earlier state: one that names none of the `found`
 * cassettes, or a missing one inside the `folders`. All are real paths.
 */
export function assertAbout(
  ledgers: readonly NamedLedger[],
  found: ReadonlySet<string>,
  folders: readonly string[],
): void {
  for (const { path, used, finished } of ledgers) {
    const gone = finished.find((file) => !found.has(file) && isInside(folders, file));
    if (gone !== undefined) throw refused(path, `${path} names a cassette that does not exist: ${gone}`, AGAIN);
    const [first] = used;
    if (first === undefined || used.some((file) => found.has(file))) continue;
    throw refused(
      path,
      `${path} names ${count(used.length, "cassette")}, but not one in these folders; the first is ${first}`,
      "Also name the folders of these cassettes. A ledger of another checkout must be in the folder where the run wrote it.",
    );
  }
}

/**
 * Throws {@link CliError} `ledger-unreadable` for a folder with unused cassettes of which no ledger names one, because its tests did
 * not run.
 */
export function assertMet(
  folders: readonly { folder: string; cassettes: readonly string[] }[],
  isUnused: (cassette: string) => boolean,
  isNamed: (cassette: string) => boolean,
): void {
  const unmet = folders.find(({ cassettes }) => cassettes.some(isUnused) && !cassettes.some(isNamed));
  if (unmet === undefined) return;
  const { folder, cassettes } = unmet;
  throw refused(
    folder,
    `no ledger names a cassette in ${folder}, so all ${count(cassettes.length, "cassette")} there would be orphans`,
    "Add the ledger of the tests that use this folder, or leave the folder out.",
  );
}

function refused(path: string, message: string, hint: string): CliError {
  return new CliError("ledger-unreadable", message, hint, path);
}

/** The real path. For a missing file, resolves the nearest existing folder. */
export async function realPath(path: string, cwd: string): Promise<string> {
  const whole = resolve(cwd, path);
  return realpath(whole).catch(async () =>
    dirname(whole) === whole ? whole : join(await realPath(dirname(whole), cwd), basename(whole)),
  );
}

/** True when `file` is in one of the folders, both real paths. */
export function isInside(folders: readonly string[], file: string): boolean {
  return folders.some((folder) => isWithin(folder, file));
}
