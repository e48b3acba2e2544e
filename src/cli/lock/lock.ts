// `cassette lock`: brings the lock up to date with the cassettes that were named. What is new is added; what was changed or is
// gone must be asked for, so that a lock never follows a cassette in silence.

import { dirname, join, resolve } from "node:path";
import {
  createCassetteStore,
  formatLock,
  lockDifferences,
  readLock,
  toLockEntry,
  type CassetteV2,
  type Lock,
  type LockEntry,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { isCI, pathInLock } from "../../harness/index.js";
import { CliError, toFailure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createProgress } from "../terminal/progress.js";
import { findFiles, loadRecording } from "../options/recordings.js";
import { reportLock, type LockChange, type LockOutcome, type RefusedFile } from "./report.js";

/** The flags of `cassette lock`, as commander gives them. */
export interface LockCommandOptions {
  file: string;
  update?: boolean;
  check?: boolean;
  json?: boolean;
}

/** Exits 3 when a cassette was refused or the lock would have to follow one unasked; nothing is written then. */
export async function lock(paths: readonly string[], options: LockCommandOptions, io: CommandIo): Promise<void> {
  const { file, update = false, check = false, json = false } = options;
  if (!check && isCI({ CI: io.env["CI"] })) {
    throw new CliError("lock-in-ci", "CI is set, and CI writes no lock", "Use --check, or cassette verify --lock.");
  }
  const files = filesAt(io);
  const before = await readBefore(files, file);
  if (paths.length === 0 && before.size === 0) {
    throw new CliError("usage", "no path was given, and there is no lock yet", "Name cassette files or folders.");
  }
  const locked = [...before.keys()].map((path) => join(dirname(file), path));
  const scope = paths.length === 0 ? locked : paths;
  const { now, gone, refused } = await readNow(files, { paths: scope, lockFile: file, before, locked }, io);
  const changes = compare(before, now, gone);

  const mustAsk = changes.some(({ kind }) => kind !== "added") && !update;
  const outcome = decide({ refused, changes, check, mustAsk });
  if (outcome === "written") {
    await assertSame(files, file, before);
    await write(files, file, apply(before, changes));
  }
  const exitCode = exitCodeFor(outcome, refused);
  io.exit(exitCode);
  reportLock(io, { file, json, outcome, exitCode, refused, changes, cassettes: now.size });
}

/** A lock that is not there yet is an empty one. */
async function readBefore(files: FilePort, file: string): Promise<Lock> {
  return (await files.read(file, 0)).kind === "not-found" ? new Map() : readLock(files, file);
}

/** Reading many cassettes takes a while, and what another process locked meanwhile must not be lost. */
async function assertSame(files: FilePort, file: string, before: Lock): Promise<void> {
  if (formatLock(await readBefore(files, file)) === formatLock(before)) return;
  const message = `${file} was written by another process while the cassettes were read, and was left as it is`;
  throw new CliError("lock-not-written", message, "Run the command again.", file);
}

interface Asked {
  paths: readonly string[];
  lockFile: string;
  before: Lock;
  /** What the lock names, as files. */
  locked: readonly string[];
}

interface Found {
  now: Map<string, LockEntry>;
  /** Locked paths whose file is not there. */
  gone: string[];
  refused: RefusedFile[];
}

async function readNow(files: FilePort, { paths, lockFile, before, locked }: Asked, io: CommandIo): Promise<Found> {
  const store = createCassetteStore(files);
  const progress = createProgress(io, "locking");
  const result: Found = { now: new Map(), gone: [], refused: [] };
  const { found, empty } = await findFiles(files, paths, io.cwd, { known: locked });
  for (const folder of empty) {
    const error = new CliError("nothing-found", "the folder holds no *.cassette.json file", "Check the path.", folder);
    result.refused.push({ file: folder, failure: toFailure(error) });
  }
  for (const [index, file] of found.entries()) {
    progress.step(index, found.length);
    const loaded = await loadRecording(store, file, { minVersion: 2 });
    const path = placeIn(lockFile, file, io.cwd);
    if (loaded.kind === "loaded") result.now.set(path, toLockEntry(loaded.cassette as CassetteV2));
    else if (loaded.failure.code === "file-not-found" && before.has(path)) result.gone.push(path);
    else result.refused.push(loaded);
  }
  progress.clear();
  return result;
}

function placeIn(lockFile: string, file: string, cwd: string): string {
  const path = pathInLock(resolve(cwd, lockFile), resolve(cwd, file));
  if (path !== undefined) return path;
  throw new CliError(
    "path-outside",
    `${file} is not below the folder of ${lockFile}`,
    "Keep the lock in a folder above all its cassettes (--file).",
    file,
  );
}

function compare(before: Lock, now: Lock, gone: readonly string[]): LockChange[] {
  const changes: LockChange[] = [];
  for (const [path, entry] of now) {
    const old = before.get(path);
    if (old === undefined) changes.push({ kind: "added", path, entry });
    else {
      const what = lockDifferences(old, entry);
      if (what.length > 0) changes.push({ kind: "changed", path, entry, what });
    }
  }
  for (const path of gone) changes.push({ kind: "removed", path });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function apply(before: Lock, changes: readonly LockChange[]): Lock {
  const after = new Map(before);
  for (const change of changes) {
    if (change.kind === "removed") after.delete(change.path);
    else after.set(change.path, change.entry);
  }
  return after;
}

interface Situation {
  refused: readonly RefusedFile[];
  changes: readonly LockChange[];
  check: boolean;
  mustAsk: boolean;
}

function decide({ refused, changes, check, mustAsk }: Situation): LockOutcome {
  if (refused.length > 0) return "refused";
  if (changes.length === 0) return "same";
  if (check) return "differs";
  return mustAsk ? "not-asked" : "written";
}

function exitCodeFor(outcome: LockOutcome, refused: readonly RefusedFile[]): ExitCode {
  switch (outcome) {
    case "same":
    case "written":
      return EXIT.ok;
    case "differs":
    case "not-asked":
      return EXIT.integrity;
    case "refused":
      return refused.some(({ failure }) => failure.exitCode === EXIT.integrity) ? EXIT.integrity : EXIT.failed;
  }
}

async function write(files: FilePort, file: string, after: Lock): Promise<void> {
  const result = await files.write(file, formatLock(after), { overwrite: true });
  if (result.kind === "written") return;
  const why = result.kind === "failed" ? result.message : "it exists";
  throw new CliError("lock-not-written", `${file} cannot be written: ${why}`, "Check the folder.", file);
}
