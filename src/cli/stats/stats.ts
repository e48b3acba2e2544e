// `cassette stats`: what folders of cassettes hold, counted one file at a time. A file that is refused is listed and the counting
// goes on without it.

import { defined } from "../../core/index.js";
import { dirname } from "node:path";
import {
  askedModelOf,
  createCassetteStore,
  createStatsCounter,
  type Cassette,
  type CassetteStats,
  type StatsCounter,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { CliError, type Failure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, toJsonError, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { findFiles, loadRecording } from "../options/recordings.js";
import { printStats } from "./report.js";

/** The flags of `cassette stats`, as commander gives them. */
export interface StatsOptions {
  by?: "folder" | "model";
  maxBytes?: number;
  json?: boolean;
}

/** What was counted. At most {@link MAX_LISTED} refusals are listed. */
export interface StatsResult {
  stats: CassetteStats;
  groups: { name: string; stats: CassetteStats }[];
  /** Cassettes of groups beyond the limit, which are in no group. */
  ungrouped: number;
  refused: number;
  failures: { file: string; failure: Failure }[];
}

/** Groups that are counted apart. */
const MAX_GROUPS = 200;
const MAX_LISTED = 1_000;

/** Exits 3 if a file was refused, else 2 if one could not be read or there was none. */
export async function stats(paths: readonly string[], options: StatsOptions, io: CommandIo): Promise<void> {
  const { result, exitCode } = await countAll(paths, options, io);
  io.exit(exitCode);
  const { groups, ungrouped, refused, failures } = result;
  if (options.json !== true) {
    printStats(createPrinter(io), result, options.by);
    return;
  }
  writeJson(io, "stats", exitCode, {
    ...result.stats,
    ...(options.by === undefined ? {} : { by: options.by, groups, ungrouped }),
    refused,
    failures: failures.map(({ file, failure }) => ({ file, error: toJsonError(failure) })),
  });
}

async function countAll(
  paths: readonly string[],
  { by, maxBytes }: StatsOptions,
  io: CommandIo,
): Promise<{ result: StatsResult; exitCode: ExitCode }> {
  const sized = withSize(filesAt(io));
  const { found } = await findFiles(sized.files, paths, io.cwd);
  if (found.length === 0) {
    const message = `there is no *.cassette.json file in ${paths.join(", ")}, so nothing was counted`;
    throw new CliError("nothing-found", message, "Check the path, or name the files one by one.", paths[0]);
  }
  const store = createCassetteStore(sized.files);
  const [total, groups] = [createStatsCounter(), createGroups()];
  const failures: StatsResult["failures"] = [];
  const progress = createProgress(io, "counting");
  let [refused, exitCode]: [number, ExitCode] = [0, EXIT.ok];
  for (const [index, file] of found.entries()) {
    progress.step(index, found.length);
    const loaded = await loadRecording(store, file, defined({ maxBytes }));
    if (loaded.kind === "failed") {
      refused++;
      if (failures.length < MAX_LISTED) failures.push({ file, failure: loaded.failure });
      exitCode = worse(exitCode, loaded.failure.exitCode);
      continue;
    }
    total.add(file, sized.lastSize(), loaded.cassette);
    if (by !== undefined) groups.of(groupOf(by, file, loaded.cassette))?.add(file, sized.lastSize(), loaded.cassette);
  }
  progress.clear();
  return { result: { stats: total.total(), ...groups.list(), refused, failures }, exitCode };
}

/** The codes are in the order of how bad they are. */
function worse(a: ExitCode, b: ExitCode): ExitCode {
  return a > b ? a : b;
}

/** The port, with the size of what was read last; files are read one after the other. */
function withSize(files: FilePort): { files: FilePort; lastSize: () => number } {
  let size = 0;
  const read: FilePort["read"] = async (path, maxBytes) => {
    const result = await files.read(path, maxBytes);
    size = result.kind === "read" ? result.bytes.length : 0;
    return result;
  };
  return { files: { ...files, read }, lastSize: () => size };
}

/** A cassette answered by several models is one of each set of them. */
function groupOf(by: "folder" | "model", file: string, cassette: Cassette): string {
  if (by === "folder") return dirname(file);
  const models = [...new Set(cassette.entries.flatMap(({ response }) => response.model ?? []))].sort();
  if (models.length > 0) return models.join(", ");
  const asked = askedModelOf(cassette);
  if (asked === undefined) return `unknown (${cassette.recordedProvider})`;
  return `${asked} (${cassette.recordedProvider.startsWith("import:") ? "named by the imported log" : "as asked for"})`;
}

function createGroups() {
  const counters = new Map<string, StatsCounter>();
  let ungrouped = 0;
  return {
    /** Undefined where there are too many groups already. */
    of(name: string): StatsCounter | undefined {
      const known = counters.get(name);
      if (known !== undefined) return known;
      if (counters.size >= MAX_GROUPS) {
        ungrouped++;
        return undefined;
      }
      const counter = createStatsCounter();
      counters.set(name, counter);
      return counter;
    },
    list() {
      const groups = [...counters].map(([name, counter]) => ({ name, stats: counter.total() }));
      return { groups: groups.sort((a, b) => (a.name < b.name ? -1 : 1)), ungrouped };
    },
  };
}
