// `cassette merge`: checks every part of a recording in shards, then copies all recordings into one folder. The same command again
// completes a merge that was interrupted.

import { lstat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DEFAULT_MAX_FILE_BYTES } from "../../cassette/index.js";
import { plural, sha256Hex, type FilePort } from "../../core/index.js";
import { CliError, usageError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import type { CommandIo } from "../terminal/io.js";
import { createPrinter, writeJson } from "../terminal/output.js";
import { isSamePlan, readPart, runsOf, SHARD_FILE, unusable, type Part, type UnitFile } from "./part.js";

export interface MergeOptions {
  into: string;
  allowMissing?: boolean;
  json?: boolean;
}

interface NamedPart extends Part {
  /** As given. */
  readonly folder: string;
}

/** A recording to copy, by its path below both folders. */
interface Source extends UnitFile {
  readonly folder: string;
}

interface Refused {
  readonly file: string;
  readonly message: string;
}

/**
 * Exits 0 if everything is merged and every run succeeded, 1 if a run failed, 3 without writing anything if a recording was changed. Throws
 * `report-unusable` for a folder that is not a part, and for parts that are missing or belong to another recording.
 */
export async function mergeParts(folders: readonly string[], options: MergeOptions, io: CommandIo): Promise<void> {
  const { into, allowMissing = false } = options;
  const parts = await readParts(folders, into, io);
  const missing = missingIn(parts);
  if (missing.length > 0 && !allowMissing) throw incomplete(missing);
  const { sources, refused } = await check(parts, into, io);
  const failed = failedIn(parts);
  const exitCode = refused.length > 0 ? EXIT.integrity : failed.length > 0 ? EXIT.drift : EXIT.ok;
  if (refused.length === 0) await copy(sources, into, io);
  io.exit(exitCode);
  report({ into, parts: parts.length, recordings: sources.size, missing, failed, refused, exitCode }, options, io);
}

async function readParts(folders: readonly string[], into: string, io: CommandIo): Promise<NamedPart[]> {
  const parts: NamedPart[] = [];
  for (const folder of folders) {
    if (resolve(io.cwd, folder) === resolve(io.cwd, into)) {
      throw usageError(`${into} is a part, and cannot be the result`, "Name another folder as --into.");
    }
    const part = await readPart(io.files, resolve(io.cwd, folder));
    if (part === undefined)
      throw unusable(folder, `has no ${SHARD_FILE}`, "Name the folders of cassette record --runs.");
    const [first = part] = parts;
    if (!isSamePlan(first.plan, part.plan)) {
      const hint = "Merge the parts of one command line: the same command, --runs and number of shards.";
      throw unusable(folder, `belongs to another recording than ${parts[0]?.folder ?? ""}`, hint);
    }
    const twin = parts.find(({ shard }) => shard === part.shard);
    if (twin !== undefined) {
      throw unusable(folder, `is shard ${part.shard}, and so is ${twin.folder}`, "Name each shard once.");
    }
    parts.push({ ...part, folder });
  }
  return parts;
}

/** "shard 2/3", and "run 4 of shard 1/3": what is planned and not there. */
function missingIn(parts: readonly NamedPart[]): string[] {
  const shards = parts[0]?.plan.shards ?? 0;
  return Array.from({ length: shards }, (_, index) => index + 1).flatMap((shard) => {
    const name = `shard ${shard}/${shards}`;
    const part = parts.find((one) => one.shard === shard);
    if (part === undefined) return [name];
    const left = runsOf(part).filter((run) => !part.units.some((unit) => unit.run === run));
    return left.map((run) => `run ${run} of ${name}`);
  });
}

function incomplete(missing: readonly string[]): CliError {
  return new CliError(
    "report-unusable",
    `the recording is not complete: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`,
    "Record what is missing (--resume continues a shard), or add --allow-missing.",
  );
}

function failedIn(parts: readonly NamedPart[]): string[] {
  return parts.flatMap(({ units, shard, plan }) =>
    units
      .filter(({ exitCode }) => exitCode !== 0)
      .map(({ run, exitCode }) => `run ${run} of shard ${shard}/${plan.shards} (exit code ${exitCode})`),
  );
}

/** Every recording once, and those that are not as their part says. */
async function check(
  parts: readonly NamedPart[],
  into: string,
  io: CommandIo,
): Promise<{ sources: Map<string, Source>; refused: Refused[] }> {
  const sources = new Map<string, Source>();
  const refused: Refused[] = [];
  for (const { folder, units } of parts) {
    for (const file of units.flatMap(({ files }) => files)) {
      const known = sources.get(file.path);
      const shown = join(folder, file.path);
      const why =
        known !== undefined && known.sha256 !== file.sha256
          ? `differs from ${join(known.folder, file.path)}, and both have the same place`
          : await whyRefused(resolve(io.cwd, folder), file, io.files);
      if (why === undefined) sources.set(file.path, { ...file, folder });
      else refused.push({ file: shown, message: why });
      const place = resolve(io.cwd, into, file.path);
      const there = await hashOf(io.files, place);
      if (there !== undefined && there !== file.sha256) {
        refused.push({ file: join(into, file.path), message: "exists with other contents, and is not replaced" });
      }
    }
  }
  return { sources, refused };
}

async function whyRefused(folder: string, { path, sha256 }: UnitFile, files: FilePort): Promise<string | undefined> {
  const link = await linkIn(folder, path);
  if (link !== undefined) return `${link} is a symbolic link, and is not followed`;
  const found = await hashOf(files, join(folder, path));
  if (found === undefined) return `is missing; if its run was interrupted, repeat cassette record with --resume`;
  return found === sha256 ? undefined : `was changed after it was recorded`;
}

/** The first part of the path that is a link, which could lead out of the folder. */
async function linkIn(folder: string, path: string): Promise<string | undefined> {
  const segments = path.split("/");
  for (const [index] of segments.entries()) {
    const name = segments.slice(0, index + 1).join("/");
    const found = await lstat(join(folder, name)).catch(() => undefined);
    if (found?.isSymbolicLink() === true) return name;
  }
  return undefined;
}

async function hashOf(files: FilePort, path: string): Promise<string | undefined> {
  const result = await files.read(path, DEFAULT_MAX_FILE_BYTES);
  return result.kind === "read" ? sha256Hex(result.bytes) : result.kind === "not-found" ? undefined : result.kind;
}

/** Each file is written atomically, and one that is there already is equal. */
async function copy(sources: ReadonlyMap<string, Source>, into: string, io: CommandIo): Promise<void> {
  for (const { folder, path, sha256 } of sources.values()) {
    const place = resolve(io.cwd, into, path);
    if ((await hashOf(io.files, place)) === sha256) continue;
    const read = await io.files.read(resolve(io.cwd, folder, path), DEFAULT_MAX_FILE_BYTES);
    const text = read.kind === "read" ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(read.bytes) : undefined;
    const written = text === undefined ? undefined : await io.files.write(place, text, { overwrite: true });
    if (written?.kind === "written") continue;
    const why = written?.kind === "failed" ? `: ${written.message}` : "";
    const hint = "Check the folder, and run the same command again.";
    throw new CliError("report-unusable", `${path} cannot be copied${why}`, hint, join(dirname(into), path));
  }
}

interface Merged {
  into: string;
  parts: number;
  recordings: number;
  missing: readonly string[];
  failed: readonly string[];
  refused: readonly Refused[];
  exitCode: ExitCode;
}

function report(merged: Merged, { json = false }: MergeOptions, io: CommandIo): void {
  const { into, parts, recordings, missing, failed, refused, exitCode } = merged;
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
  else line(`merged ${plural(recordings, "recording")} of ${plural(parts, "part")} into `, into);
}
