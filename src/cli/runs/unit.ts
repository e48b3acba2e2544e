// One run of the command. It records into a separate folder. When it has ended, `shard.json` lists its recordings, and then they move to
// their destinations. So a kill at any moment loses this run or nothing.

import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BUNDLE_SUFFIX, DEFAULT_MAX_FILE_BYTES } from "../../cassette/index.js";
import { sha256Hex, type FilePort } from "../../core/index.js";
import { runChild, type ChildEnd } from "../child/spawn.js";
import { CliError } from "../errors.js";
import { whyUnread } from "../options/file.js";
import type { CommandIo } from "../terminal/io.js";
import {
  isRecording,
  numberedPath,
  splitInto,
  unitFolder,
  writePart,
  type Part,
  type Unit,
  type UnitFile,
} from "./part.js";

export interface UnitPlace {
  readonly folder: string;
  readonly io: CommandIo;
  /** Keeps stdout free for a JSON document. */
  readonly stdoutToStderr: boolean;
  /** True once a signal asked this process to end. */
  readonly isStopped: () => boolean;
}

/** Runs the command for one run, and returns the part with it. Undefined if this process was asked to end. */
export async function recordUnit(part: Part, run: number, place: UnitPlace): Promise<Part | undefined> {
  const { folder, io } = place;
  const own = unitFolder(folder, run);
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { recursive: true });
  const unit = await runToUnit(part, run, own, place).catch(async (error: unknown) => {
    await rm(own, { recursive: true, force: true });
    throw error;
  });
  if (unit === undefined) {
    await rm(own, { recursive: true, force: true });
    return undefined;
  }
  const next = { ...part, units: [...part.units, unit] };
  await writePart(io.files, folder, next);
  await settle(folder, [unit], io.files);
  return next;
}

async function runToUnit(part: Part, run: number, own: string, place: UnitPlace): Promise<Unit | undefined> {
  const { files } = place.io;
  const { exitCode } = await runCommand(part, run, own, place);
  if (place.isStopped()) return undefined;
  const bundle = (await files.list(own, BUNDLE_SUFFIX))?.[0];
  if (bundle !== undefined) throw bundleRecorded(bundle, run);
  const names = await recordingsIn(files, own);
  // A shard of tests may have none.
  const mayBeEmpty = splitInto(part.plan) > 1;
  if (exitCode === 0 && names.length === 0 && !mayBeEmpty) throw noneRecorded(part, run);
  return { run, exitCode, files: await Promise.all(names.map((name) => listed(files, own, name, run))) };
}

function runCommand(
  { plan, shard }: Part,
  run: number,
  into: string,
  { io, stdoutToStderr }: UnitPlace,
): Promise<ChildEnd> {
  const command = plan.command.map((word) => word.replaceAll("{shard}", `${shard}/${plan.shards}`));
  const env = { ...io.env, CASSETTE_MODE: "record", CASSETTE_INTO: into, CASSETTE_RUN: String(run) };
  return runChild(command, { cwd: io.cwd, env, stdoutToStderr });
}

/** Moves listed recordings to their destinations, including those of a run that was killed before it moved them. */
export async function settle(folder: string, units: readonly Unit[], files: FilePort): Promise<void> {
  for (const { run } of units) {
    const own = unitFolder(folder, run);
    for (const name of await recordingsIn(files, own)) {
      const place = join(folder, numberedPath(name, run));
      await mkdir(dirname(place), { recursive: true });
      await rename(join(own, name), place);
    }
    await rm(own, { recursive: true, force: true });
  }
}

async function recordingsIn(files: FilePort, folder: string): Promise<string[]> {
  return ((await files.list(folder, ".json")) ?? []).filter(isRecording);
}

async function listed(files: FilePort, folder: string, name: string, run: number): Promise<UnitFile> {
  const path = join(folder, name);
  const result = await files.read(path, DEFAULT_MAX_FILE_BYTES);
  if (result.kind === "read") return { path: numberedPath(name, run), sha256: sha256Hex(result.bytes) };
  const what = `the recording ${path} ${whyUnread(result, DEFAULT_MAX_FILE_BYTES)}`;
  throw new CliError("report-unusable", what, "Check the disk, and add --resume to record this run again.", path);
}

function bundleRecorded(bundle: string, run: number): CliError {
  return new CliError(
    "report-unusable",
    `run ${run} wrote the bundle ${bundle} into CASSETTE_INTO, but a bundle cannot be numbered by its run`,
    "Write bundles to another folder. To compare agents with cassette drift, record each of them with useCassette.",
    bundle,
  );
}

function noneRecorded({ plan }: Part, run: number): CliError {
  return new CliError(
    "no-cassette-used",
    `run ${run} of ${JSON.stringify(plan.command.join(" "))} succeeded but recorded no cassette`,
    "Use the provider of useCassette from playhead/harness, leave its mode unset, and call done() after the run.",
  );
}
