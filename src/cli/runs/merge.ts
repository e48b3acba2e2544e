// `cassette merge`: checks every part of a recording in shards, then copies all recordings into one folder, and then their locks. The same command again
// completes a merge that was interrupted.

import { join, resolve } from "node:path";
import { LOCK_FILE } from "../../cassette/index.js";
import { plural } from "../../core/index.js";
import { writeLock } from "../bless/write.js";
import { CliError, usageError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, writeJson } from "../terminal/output.js";
import { checkSources, copySources, whyLinked, type NamedPart, type Refused } from "./copy.js";
import { joinLocks } from "./join-locks.js";
import { isSamePlan, nameOfRun, readPart, runsOf, SHARD_FILE, unusable } from "./part.js";

export interface MergeOptions {
  into: string;
  allowMissing?: boolean;
  json?: boolean;
}

/**
 * Exits 0 if everything is merged and every run succeeded, 1 if a run failed, 3 without writing anything if a file is refused. Throws
 * `report-unusable` for a folder that is not a part, and for parts that are missing or belong to another recording.
 */
export async function mergeParts(folders: readonly string[], options: MergeOptions, io: CommandIo): Promise<void> {
  const parts = await readParts(folders, options.into, io);
  const missing = missingIn(parts);
  const hint = "Record the missing parts (--resume continues a shard), or add --allow-missing.";
  const merged = await copyParts(parts, missing, { ...options, hint }, io);
  if (merged === undefined)
    throw unusable(folders.join(", "), "contain no recordings", "Check that the command records cassettes.");
  report(merged, plural(parts.length, "part"), options, io);
}

/** Copies the recordings of parts into one folder, if none is refused. Undefined without any recording. Throws `report-unusable`. */
export async function copyParts(
  parts: readonly NamedPart[],
  missing: readonly string[],
  { into, allowMissing = false, hint }: Pick<MergeOptions, "into" | "allowMissing"> & { hint: string },
  io: CommandIo,
): Promise<Merged | undefined> {
  if (missing.length > 0 && !allowMissing) throw incomplete(missing, hint);
  const { sources, refused: unfit } = await checkSources(parts, into, io);
  if (sources.size + unfit.length === 0) return undefined;
  const { lock, refused: unlockable } = await joinLocks(parts, into, io);
  const refused = [...unfit, ...unlockable];
  const failed = failedIn(parts);
  const exitCode = refused.length > 0 ? EXIT.integrity : failed.length > 0 ? EXIT.drift : EXIT.ok;
  if (refused.length === 0) {
    await copySources(sources, into, io);
    if (lock !== undefined) await writeLock(filesAt(io), join(into, LOCK_FILE), lock);
  }
  return { into, parts: parts.length, recordings: sources.size, missing, failed, refused, exitCode };
}

async function readParts(folders: readonly string[], into: string, io: CommandIo): Promise<NamedPart[]> {
  const parts: NamedPart[] = [];
  for (const folder of folders) {
    if (resolve(io.cwd, folder) === resolve(io.cwd, into)) {
      throw usageError(
        `${into} is one of the parts, so nothing can be merged into it`,
        "Choose another folder for --into.",
      );
    }
    const named = "Pass folders that cassette record --runs wrote.";
    const link = await whyLinked(resolve(io.cwd, folder), SHARD_FILE);
    if (link !== undefined) throw unusable(folder, `cannot be merged: ${link}`, named);
    const part = await readPart(io.files, resolve(io.cwd, folder));
    if (part === undefined) throw unusable(folder, `has no ${SHARD_FILE}`, named);
    const [first = part] = parts;
    if (!isSamePlan(first.plan, part.plan)) {
      const hint = "Parts belong together if they have the same command, --runs and number of shards.";
      throw unusable(folder, `belongs to a different recording than ${parts[0]?.folder ?? ""}`, hint);
    }
    const twin = parts.find(({ shard }) => shard === part.shard);
    if (twin !== undefined) {
      throw unusable(folder, `is shard ${part.shard}, like ${twin.folder}`, "Pass each shard once.");
    }
    parts.push({ ...part, folder });
  }
  return parts;
}

/** The planned parts that are missing: "shard 2/3", or "run 4 of shard 1/3". */
function missingIn(parts: readonly NamedPart[]): string[] {
  const shards = parts[0]?.plan.shards ?? 0;
  return Array.from({ length: shards }, (_, index) => index + 1).flatMap((shard) => {
    const name = `shard ${shard}/${shards}`;
    const part = parts.find((one) => one.shard === shard);
    if (part === undefined) return [name];
    const left = runsOf(part).filter((run) => !part.units.some((unit) => unit.run === run));
    return left.map((run) => nameOfRun(run, part));
  });
}

function incomplete(missing: readonly string[], hint: string): CliError {
  return new CliError(
    "report-unusable",
    `the recording is incomplete: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`,
    hint,
  );
}

function failedIn(parts: readonly NamedPart[]): string[] {
  return parts.flatMap((part) =>
    part.units
      .filter(({ exitCode }) => exitCode !== 0)
      .map(({ run, exitCode }) => `${nameOfRun(run, part)} (exit code ${exitCode})`),
  );
}

export interface Merged {
  into: string;
  parts: number;
  recordings: number;
  missing: readonly string[];
  failed: readonly string[];
  refused: readonly Refused[];
  exitCode: ExitCode;
}

/** `from` is what was merged, such as "3 parts". */
export function report(merged: Merged, from: string, { json = false }: { json?: boolean }, io: CommandIo): void {
  const { into, recordings, missing, failed, refused, exitCode } = merged;
  io.exit(exitCode);
  if (json) {
    const { exitCode: _exitCode, ...body } = merged;
    writeJson(io, "merge", exitCode, body);
    return;
  }
  const line = createPrinter(io);
  for (const { file, message } of refused) line({ look: "bad", text: "refused  " }, `${file} ${message}`);
  for (const what of failed) line({ look: "bad", text: "failed   " }, what);
  for (const what of missing) line({ look: "warn", text: "missing  " }, what);
  if (refused.length > 0) line({ look: "bad", text: `${plural(refused.length, "file")} refused, nothing was written` });
  else line(`merged ${plural(recordings, "recording")} of ${from} into `, into);
}
