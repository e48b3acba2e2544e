// `cassette prune`: finds orphans by ledgers only, and deletes them only with --write. A cassette that a bundle lists, or that cannot
// be read, is never an orphan. If a ledger or bundle cannot be read, the command fails before it deletes.

import { dirname, join, resolve } from "node:path";
import {
  BUNDLE_SUFFIX,
  CassetteError,
  DEFAULT_MAX_FILE_BYTES,
  ENVELOPE_SUFFIX,
  parseBundle,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { CliError, exitCodeForAll, usageError, type Failure } from "../errors.js";
import { whyUnread } from "../options/file.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, writeJson } from "../terminal/output.js";
import { readFacts } from "../facts/read.js";
import { findTarget, pathIn } from "../options/recordings.js";
import { assertAbout, assertMet, readLedgers, type LedgerOptions, isInside, realPath } from "./ledgers.js";

const SHOWN_NAMES = 5;

export interface PruneOptions extends LedgerOptions {
  write?: boolean;
  jobs?: number;
  json?: boolean;
}

/** Exits 1 if orphans are left, 2 if one could not be deleted or a cassette could not be read, 3 if a cassette was refused. */
export async function prune(folders: readonly string[], options: PruneOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const isJudging = options.ledger !== undefined || options.from !== undefined;
  if (options.write === true && !isJudging) {
    throw usageError("--write was given without a ledger", "Name one with --ledger or --from.");
  }
  const paths = await findCassettes(files, folders);
  const unused = isJudging ? await findUnused(files, folders, paths, options, io.cwd) : new Set<string>();
  const { duplicates, failed, whole } = await readAll(paths, options.jobs, io);
  const orphans = whole.filter((path) => unused.has(path));
  const { deleted, kept } = await removeAll(files, folders, options.write === true ? orphans : [], io.cwd);
  const result = kept.length > 0 ? EXIT.failed : deleted.length < orphans.length ? EXIT.drift : EXIT.ok;
  const exitCode = Math.max(result, exitCodeForAll(failed.map(({ failure }) => failure))) as ExitCode;
  io.exit(exitCode);
  const gone = new Set(deleted);
  const left = duplicates.map((same) => same.filter((file) => !gone.has(file))).filter((same) => same.length > 1);
  const found = { checked: paths.length, orphans, deleted, kept, duplicates: left, failed };
  if (options.json === true) writeJson(io, "prune", exitCode, found);
  else print(found, isJudging, io);
}

/** Also deletes the signature next to an orphan, which proves nothing without its cassette. */
async function removeAll(files: FilePort, folders: readonly string[], orphans: readonly string[], cwd: string) {
  const deleted: string[] = [];
  const kept: Found["kept"] = [];
  const roots = await Promise.all(folders.map((folder) => realPath(folder, cwd)));
  for (const file of orphans) {
    // A folder may contain a link to another folder, which was not named. For a link to a file, the link itself is deleted.
    if (!isInside(roots, await realPath(dirname(file), cwd))) {
      kept.push({ file, message: "it is outside the folder, behind a link" });
      continue;
    }
    const result = await files.remove(file);
    if (result.kind === "failed") {
      kept.push({ file, message: result.message });
      continue;
    }
    deleted.push(file);
    const beside = await files.remove(`${file}${ENVELOPE_SUFFIX}`);
    if (beside.kind === "failed") kept.push({ file: `${file}${ENVELOPE_SUFFIX}`, message: beside.message });
  }
  return { deleted, kept };
}

interface Found {
  checked: number;
  orphans: string[];
  deleted: string[];
  kept: { file: string; message: string }[];
  duplicates: string[][];
  failed: { file: string; failure: Failure }[];
}

function print(found: Found, isJudging: boolean, io: CommandIo): void {
  const { checked, orphans, deleted, kept, duplicates, failed } = found;
  const line = createPrinter(io);
  const gone = new Set(deleted);
  for (const file of orphans) {
    if (gone.has(file)) line({ look: "bad", text: "deleted  " }, file);
    else line({ look: "warn", text: "orphan   " }, file);
  }
  for (const { file, message } of kept) line({ look: "bad", text: "kept     " }, file, `: ${message}`);
  for (const same of duplicates) line({ look: "warn", text: "the same " }, listed(same));
  for (const { file, failure } of failed) line({ look: "bad", text: "unread   " }, file, `: ${failure.message}`);
  const judged = isJudging ? count(orphans.length, "orphan") : "orphans unknown without a ledger";
  const unread = failed.length === 0 ? "" : `, ${failed.length} unread`;
  line(`${count(checked, "cassette")} checked: ${judged}, ${count(duplicates.length, "set")} of duplicates${unread}`);
  if (orphans.length > deleted.length) line("  --write deletes the orphans");
  if (deleted.length > 0) line("  npx playhead lock --update removes them from a lock");
}

function listed(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  return names.slice(0, SHOWN_NAMES).join(", ") + (more > 0 ? ` and ${more} more (--json lists all)` : "");
}

async function findCassettes(files: FilePort, folders: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const folder of folders) {
    const target = await findTarget(files, folder);
    if (target.kind !== "folder") {
      throw new CliError("nothing-found", `${folder} is not a folder that can be read`, "Give a folder.", folder);
    }
    for (const name of target.names) found.add(pathIn(folder, name));
  }
  return [...found];
}

async function readAll(paths: readonly string[], jobs: number | undefined, io: CommandIo) {
  const byContent = new Map<string, string[]>();
  const failed: Found["failed"] = [];
  const whole: string[] = [];
  for await (const read of readFacts(paths, { of: "prune", what: "checking", jobs }, io)) {
    const { file } = read;
    if (read.kind === "failed") {
      failed.push({ file, failure: read.failure });
      continue;
    }
    whole.push(file);
    const same = byContent.get(read.facts);
    if (same === undefined) byContent.set(read.facts, [file]);
    else same.push(file);
  }
  return { whole, failed, duplicates: [...byContent.values()].filter((same) => same.length > 1) };
}

/** The paths that no ledger and no bundle names. */
async function findUnused(
  files: FilePort,
  folders: readonly string[],
  paths: readonly string[],
  options: LedgerOptions,
  cwd: string,
): Promise<Set<string>> {
  const ledgers = await readLedgers(files, options, cwd);
  const real = new Map<string, string>();
  for (const path of paths) real.set(path, await realPath(path, cwd));
  assertAbout(ledgers, new Set(real.values()), await Promise.all(folders.map((folder) => realPath(folder, cwd))));
  const named = new Set(ledgers.flatMap(({ used }) => used));
  const bundled = await findBundled(files, folders, cwd);
  const isNamed = (path: string): boolean => named.has(real.get(path) ?? path);
  const isUnused = (path: string): boolean => !isNamed(path) && !bundled.has(real.get(path) ?? path);
  const inFolder = folders.map((folder) => {
    const root = [resolve(cwd, folder)];
    return { folder, cassettes: paths.filter((path) => isInside(root, resolve(cwd, path))) };
  });
  assertMet(inFolder, isUnused, isNamed);
  return new Set(paths.filter(isUnused));
}

/** The real paths of all cassettes that bundles of the folders list. Throws for a bundle that cannot be read. */
async function findBundled(files: FilePort, folders: readonly string[], cwd: string): Promise<Set<string>> {
  const bundled = new Set<string>();
  for (const folder of folders) {
    for (const name of (await files.list(folder, BUNDLE_SUFFIX)) ?? []) {
      const path = pathIn(folder, name);
      const result = await files.read(path, DEFAULT_MAX_FILE_BYTES);
      if (result.kind !== "read") {
        const hint = "Restore or delete this bundle. Until it can be read, any cassette may belong to it.";
        const message = `${path} ${whyUnread(result, DEFAULT_MAX_FILE_BYTES)}`;
        throw new CassetteError("file-unreadable", message, { file: path, hint });
      }
      const { agents } = parseBundle(result.bytes, { file: path });
      for (const { cassette } of Object.values(agents)) bundled.add(await realPath(join(dirname(path), cassette), cwd));
    }
  }
  return bundled;
}
