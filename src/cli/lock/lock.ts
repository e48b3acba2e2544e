// `cassette lock`: brings the lock up to date with the named cassettes. New ones are added. Changed and missing ones need --update, so
// that a lock never follows a cassette silently.

import { dirname, join, resolve } from "node:path";
import { formatLock, lockDifferences, type Lock, type LockEntry } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { isCI, pathInLock } from "../../harness/index.js";
import { readLockIfThere, writeLock } from "../bless/write.js";
import { CliError, exitCodeForAll, noCassettesIn, toFailure, usageError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { readFacts } from "../facts/read.js";
import { findFiles } from "../options/recordings.js";
import { reportLock, type LockChange, type LockOutcome, type RefusedFile } from "./report.js";

export interface LockCommandOptions {
  file: string;
  update?: boolean;
  check?: boolean;
  jobs?: number;
  json?: boolean;
}

/** Exits 3, and writes nothing, when a cassette was refused or a change needs --update. */
export async function lock(paths: readonly string[], options: LockCommandOptions, io: CommandIo): Promise<void> {
  const { file, check = false, json = false } = options;
  if (!check && isCI({ CI: io.env["CI"] })) {
    const hint = "Use --check, or npx playhead verify --lock.";
    throw new CliError("lock-in-ci", "CI is set, and no lock is written in CI", hint);
  }
  const files = filesAt(io);
  const before: Lock = (await readLockIfThere(files, file)) ?? new Map();
  if (paths.length === 0 && before.size === 0) {
    throw usageError("no path was given, and there is no lock yet", "Name cassette files or folders.");
  }
  const locked = [...before.keys()].map((path) => join(dirname(file), path));
  const scope = paths.length === 0 ? locked : paths;
  const { now, gone, refused } = await readNow(
    files,
    { paths: scope, lockFile: file, before, locked, jobs: options.jobs },
    io,
  );
  const changes = compare(before, now, gone);

  const outcome = decide(refused, changes, options);
  if (outcome === "written") {
    await assertSame(files, file, before);
    await writeLock(files, file, apply(before, changes));
  }
  const exitCode = exitCodeFor(outcome, refused);
  io.exit(exitCode);
  reportLock(io, { file, json, outcome, exitCode, refused, changes, cassettes: now.size });
}

/** Throws if another process wrote the lock while the cassettes were read, so that its entries are not lost. */
async function assertSame(files: FilePort, file: string, before: Lock): Promise<void> {
  if (formatLock((await readLockIfThere(files, file)) ?? new Map()) === formatLock(before)) return;
  const message = `another process wrote ${file} while the cassettes were read, so it was not replaced`;
  throw new CliError("lock-not-written", message, "Run the command again.", file);
}

interface Scope {
  paths: readonly string[];
  lockFile: string;
  before: Lock;
  /** The files that the lock lists. */
  locked: readonly string[];
  jobs: number | undefined;
}

async function readNow(files: FilePort, { paths, lockFile, before, locked, jobs }: Scope, io: CommandIo) {
  const now = new Map<string, LockEntry>();
  /** Locked paths without a file. */
  const gone: string[] = [];
  const refused: RefusedFile[] = [];
  const { found, empty } = await findFiles(files, paths, io.cwd, { known: locked });
  for (const file of empty) refused.push({ file, failure: toFailure(noCassettesIn(file)) });
  for await (const read of readFacts(found, { of: "lock", what: "locking", jobs, minVersion: 2 }, io)) {
    const path = placeIn(lockFile, read.file, io.cwd);
    if (read.kind === "read") now.set(path, read.facts);
    else if (read.failure.code === "file-not-found" && before.has(path)) gone.push(path);
    else refused.push(read);
  }
  return { now, gone, refused };
}

function placeIn(lockFile: string, file: string, cwd: string): string {
  const path = pathInLock(resolve(cwd, lockFile), resolve(cwd, file));
  if (path !== undefined) return path;
  const hint = "Keep the lock in a folder above all its cassettes (--file).";
  throw new CliError("path-outside", `${file} is not below the folder of ${lockFile}`, hint, file);
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

function decide(
  refused: readonly RefusedFile[],
  changes: readonly LockChange[],
  options: LockCommandOptions,
): LockOutcome {
  if (refused.length > 0) return "refused";
  if (changes.length === 0) return "same";
  if (options.check === true) return "differs";
  return options.update !== true && changes.some(({ kind }) => kind !== "added") ? "not-asked" : "written";
}

function exitCodeFor(outcome: LockOutcome, refused: readonly RefusedFile[]): ExitCode {
  if (outcome === "refused") return exitCodeForAll(refused.map(({ failure }) => failure));
  return outcome === "same" || outcome === "written" ? EXIT.ok : EXIT.integrity;
}
