// The recordings that a merge copies. Each is checked in its part and at its destination before any is written.

import { lstat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { BUNDLE_SUFFIX, DEFAULT_MAX_FILE_BYTES } from "../../cassette/index.js";
import { sha256Hex, type FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";
import { whyUnread } from "../options/file.js";
import type { CommandIo } from "../terminal/io.js";
import { isOfUnit, isRecording, SHARD_FILE, type Part, type UnitFile } from "./part.js";

export interface NamedPart extends Part {
  /** As given. */
  readonly folder: string;
}

/** A recording to copy, by its path below both folders. */
export interface Source extends UnitFile {
  readonly folder: string;
}

export interface Refused {
  readonly file: string;
  readonly message: string;
}

export interface Checked {
  /** Every recording once, by its path. */
  readonly sources: Map<string, Source>;
  readonly refused: Refused[];
}

/** Compares every recording with `shard.json` of its part, with the other parts and with its place. */
export async function checkSources(parts: readonly NamedPart[], into: string, io: CommandIo): Promise<Checked> {
  const sources = new Map<string, Source>();
  const refused: Refused[] = [];
  for (const { folder, units } of parts) {
    for (const file of units.flatMap(({ files }) => files)) {
      const known = sources.get(file.path);
      const why =
        known !== undefined && known.sha256 !== file.sha256
          ? `differs from ${join(known.folder, file.path)}, which would be copied to the same path`
          : await whyUnfit(resolve(io.cwd, folder), file, io.files);
      if (why === undefined) sources.set(file.path, { ...file, folder });
      else refused.push({ file: join(folder, file.path), message: why });
      const whyNot = await whyTaken(resolve(io.cwd, into), file, io.files);
      if (whyNot !== undefined) refused.push({ file: join(into, file.path), message: whyNot });
    }
  }
  for (const part of parts) refused.push(...(await unlistedIn(part, io)));
  return { sources, refused };
}

/** Recordings and bundles of a part that are not in its `shard.json`. A run that was interrupted may leave a folder of its own. */
async function unlistedIn({ folder, units }: NamedPart, io: CommandIo): Promise<Refused[]> {
  const listed = new Set(units.flatMap(({ files }) => files.map(({ path }) => path)));
  const names = (await io.files.list(resolve(io.cwd, folder), ".json")) ?? [];
  const left = names.filter((name) => isRecording(name) || name.endsWith(BUNDLE_SUFFIX));
  return left
    .filter((name) => !listed.has(name) && !isOfUnit(name))
    .map((name) => ({ file: join(folder, name), message: `is not listed in ${SHARD_FILE}` }));
}

async function whyUnfit(folder: string, { path, sha256 }: UnitFile, files: FilePort): Promise<string | undefined> {
  const link = await whyLinked(folder, path);
  if (link !== undefined) return `cannot be used: ${link}`;
  const found = await hashOf(files, join(folder, path));
  if (found === undefined) return "is missing; if its run was interrupted, run cassette record again with --resume";
  return found === sha256 ? undefined : "was changed after it was recorded";
}

async function whyTaken(into: string, { path, sha256 }: UnitFile, files: FilePort): Promise<string | undefined> {
  const link = await whyLinked(into, path);
  if (link !== undefined) return `cannot be written: ${link}`;
  const there = await hashOf(files, join(into, path));
  return there === undefined || there === sha256
    ? undefined
    : "already exists with different contents and is not replaced";
}

/** Names the first segment of the path that is a link, which could lead out of the folder. */
export async function whyLinked(folder: string, path: string): Promise<string | undefined> {
  const segments = path.split("/");
  for (const [index] of segments.entries()) {
    const name = segments.slice(0, index + 1).join("/");
    const found = await lstat(join(folder, name)).catch(() => undefined);
    if (found?.isSymbolicLink() === true) return `${name} is a symbolic link, and links are not followed`;
  }
  return undefined;
}

async function hashOf(files: FilePort, path: string): Promise<string | undefined> {
  const result = await files.read(path, DEFAULT_MAX_FILE_BYTES);
  return result.kind === "read" ? sha256Hex(result.bytes) : result.kind === "not-found" ? undefined : result.kind;
}

/** Writes each file atomically. An existing file is equal. Throws `report-unusable`. */
export async function copySources(sources: Checked["sources"], into: string, io: CommandIo): Promise<void> {
  for (const { folder, path, sha256 } of sources.values()) {
    const place = resolve(io.cwd, into, path);
    if ((await hashOf(io.files, place)) === sha256) continue;
    const why = await copy(resolve(io.cwd, folder, path), place, sha256, io.files);
    if (why === undefined) continue;
    const hint = "Check the folders, and run the same command again.";
    throw new CliError("report-unusable", `${join(folder, path)} ${why}`, hint, join(into, path));
  }
}

/** The reason of a failure, or undefined. The hash is that of the check, because the file may have changed since. */
async function copy(from: string, to: string, sha256: string, files: FilePort): Promise<string | undefined> {
  const read = await files.read(from, DEFAULT_MAX_FILE_BYTES);
  if (read.kind !== "read") return whyUnread(read, DEFAULT_MAX_FILE_BYTES);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(read.bytes);
  if (sha256Hex(text) !== sha256) return "changed during the merge or is not UTF-8";
  const written = await files.write(to, text, { overwrite: true });
  return written.kind === "failed" ? `cannot be written to ${to}: ${written.message}` : undefined;
}
