// One run of the command. It records into a folder of its own. When it has ended, `shard.json` lists its recordings, and then they move to
// their places. So a kill at any moment loses this run or nothing.

import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DEFAULT_MAX_FILE_BYTES } from "../../cassette/index.js";
import { sha256Hex, type FilePort } from "../../core/index.js";
import { runChild, type ChildEnd } from "../child/spawn.js";
import { CliError } from "../errors.js";
import type { CommandIo } from "../terminal/io.js";
import { isRecording, numberedPath, writePart, type Part, type Unit, type UnitFile } from "./part.js";

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
  const { exitCode } = await runCommand(part, run, own, place);
  if (place.isStopped()) {
    await rm(own, { recursive: true, force: true });
    return undefined;
  }
  const names = await recordingsIn(io.files, own);
  if (exitCode === 0 && names.length === 0) throw noneRecorded(part, run);
  const files = await Promise.all(names.map((name) => listed(io.files, own, name, run)));
  const next = { ...part, units: [...part.units, { run, exitCode, files }] };
  await writePart(io.files, folder, next);
  await settle(folder, next.units.slice(-1), io.files);
  return next;
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

/** Moves listed recordings to their places, also those of a run that was killed before it moved them. */
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

function unitFolder(folder: string, run: number): string {
  return join(folder, `.run-${run}`);
}

async function recordingsIn(files: FilePort, folder: string): Promise<string[]> {
  return ((await files.list(folder, ".json")) ?? []).filter(isRecording);
}

async function listed(files: FilePort, folder: string, name: string, run: number): Promise<UnitFile> {
  const path = join(folder, name);
  const result = await files.read(path, DEFAULT_MAX_FILE_BYTES);
  if (result.kind === "read") return { path: numberedPath(name, run), sha256: sha256Hex(result.bytes) };
  const what = `the recording ${path} cannot be read (${result.kind})`;
  throw new CliError("report-unusable", what, "Check the disk, and add --resume to record this run again.", path);
}

function noneRecorded({ plan }: Part, run: number): CliError {
  return new CliError(
    "no-cassette-used",
    `run ${run} of ${JSON.stringify(plan.command.join(" "))} succeeded but recorded no cassette`,
    "Take the provider from useCassette of playhead/harness, without a mode of its own, and call done() after the run.",
  );
}
