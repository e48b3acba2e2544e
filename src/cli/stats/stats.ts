// `cassette stats`: counts the contents of cassettes, one file at a time. A refused file is listed, and counting goes on.

import { dirname } from "node:path";
import {
  createStatsCounter,
  createTurnPricer,
  readPrices,
  type CassetteFigures,
  type CassetteStats,
  type StatsCounter,
  type TurnPricer,
} from "../../cassette/index.js";
import { defined } from "../../core/index.js";
import { exitCodeForAll, noCassettesIn, type Failure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { MAX_STATS_FAILURES, MAX_STATS_GROUPS } from "../limits.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, toJsonError, writeJson } from "../terminal/output.js";
import { readFacts } from "../facts/read.js";
import { findFiles } from "../options/recordings.js";
import { printStats } from "./report.js";

export interface StatsOptions {
  by?: "folder" | "model";
  jobs?: number;
  maxBytes?: number;
  prices?: string;
  json?: boolean;
}

interface StatsResult {
  stats: CassetteStats;
  /** Cassettes whose requests are those of a judge. */
  judges: number;
  groups: { name: string; stats: CassetteStats }[];
  /** Cassettes of groups beyond the limit. */
  ungrouped: number;
  refused: number;
  /** At most {@link MAX_STATS_FAILURES}. */
  failures: { file: string; failure: Failure }[];
}

/** Exits 3 if a file was refused, else 2 if one could not be read. Throws `nothing-found` without any file. */
export async function stats(paths: readonly string[], options: StatsOptions, io: CommandIo): Promise<void> {
  const { result, exitCode } = await countAll(paths, options, io);
  io.exit(exitCode);
  const { judges, groups, ungrouped, refused, failures } = result;
  if (options.json !== true) {
    printStats(createPrinter(io), result, options);
    return;
  }
  writeJson(io, "stats", exitCode, {
    ...result.stats,
    judges,
    ...(options.by === undefined ? {} : { by: options.by, groups, ungrouped }),
    refused,
    failures: failures.map(({ file, failure }) => ({ file, error: toJsonError(failure) })),
  });
}

async function countAll(
  paths: readonly string[],
  { by, jobs, maxBytes, prices }: StatsOptions,
  io: CommandIo,
): Promise<{ result: StatsResult; exitCode: ExitCode }> {
  const files = filesAt(io);
  const price = createTurnPricer(prices === undefined ? {} : await readPrices(files, prices));
  const { found } = await findFiles(files, paths, io.cwd);
  if (found.length === 0) throw noCassettesIn(paths.join(", "), "counted");
  const [total, groups] = [createStatsCounter(price), createGroups(price)];
  const failures: StatsResult["failures"] = [];
  let [refused, judges, exitCode]: [number, number, ExitCode] = [0, 0, EXIT.ok];
  for await (const read of readFacts(found, { of: "stats", what: "counting", jobs, ...defined({ maxBytes }) }, io)) {
    const { file } = read;
    if (read.kind === "failed") {
      refused++;
      if (failures.length < MAX_STATS_FAILURES) failures.push({ file, failure: read.failure });
      if (exitCode !== EXIT.integrity) exitCode = exitCodeForAll([read.failure]);
      continue;
    }
    const { facts } = read;
    if (facts.isJudge) judges++;
    total.add(file, facts.bytes, facts);
    if (by !== undefined) groups.of(groupOf(by, file, facts))?.add(file, facts.bytes, facts);
  }
  return { result: { stats: total.total(), judges, ...groups.list(), refused, failures }, exitCode };
}

/** A cassette that several models answered belongs to the group of that set. */
function groupOf(by: "folder" | "model", file: string, { models, askedModel, provider }: CassetteFigures): string {
  if (by === "folder") return dirname(file);
  const names = [...new Set(models)].sort();
  if (names.length > 0) return names.join(", ");
  if (askedModel === undefined) return `unknown (${provider})`;
  return `${askedModel} (${provider.startsWith("import:") ? "named by the imported log" : "as asked for"})`;
}

function createGroups(price: TurnPricer) {
  const counters = new Map<string, StatsCounter>();
  let ungrouped = 0;
  return {
    /** Undefined if there are too many groups. */
    of(name: string): StatsCounter | undefined {
      const known = counters.get(name);
      if (known !== undefined) return known;
      if (counters.size >= MAX_STATS_GROUPS) {
        ungrouped++;
        return undefined;
      }
      const counter = createStatsCounter(price);
      counters.set(name, counter);
      return counter;
    },
    list() {
      const groups = [...counters].map(([name, counter]) => ({ name, stats: counter.total() }));
      return { groups: groups.sort((a, b) => (a.name < b.name ? -1 : 1)), ungrouped };
    },
  };
}
