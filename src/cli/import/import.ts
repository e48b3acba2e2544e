// `cassette import`: reads logs one run at a time and writes a cassette for each. It goes on after a record that cannot be imported,
// replaces files only with --force, and accounts for every record at the end.

import { basename, dirname, join, resolve } from "node:path";
import { getHeapStatistics } from "node:v8";
import { defined } from "../../core/index.js";
import {
  CassetteError,
  createCassetteStore,
  createTaskNames,
  importRuns,
  type CassetteStore,
  type ImportedCassette,
  type ImportFormat,
  type ImportOptions,
  type TaskNames,
} from "../../cassette/index.js";
import { isWithin } from "../../host/index.js";
import { CliError, toFailure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { MAX_IMPORTED_RECORDS } from "../limits.js";
import { readFilterOptions, type FilterOptions } from "../options/filters.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { readLog } from "./read-log.js";
import { countRefused, createTally, printTally, refuseLog, refuseRecord, toJsonTally, type Tally } from "./tally.js";
import { yamlToJson } from "./yaml.js";

export interface ImportCommandOptions extends FilterOptions {
  out: string;
  format?: ImportFormat;
  model?: string;
  /** A pattern for the names of tasks. */
  task?: string;
  force?: boolean;
  /** False keeps secrets. */
  redact?: boolean;
  keepErrors?: boolean;
  json?: boolean;
}

/** Concurrent writes; each waits until the disk is flushed. */
const BATCH = 16;

/** Limits of one log. */
interface ImportLimits {
  maxRecords?: number;
  /** Bytes on the heap. */
  maxMemory?: number;
}

/** Imports all logs; exits 0 only when every record became a cassette. */
export async function importLogs(
  logs: readonly string[],
  options: ImportCommandOptions,
  io: CommandIo,
  { maxRecords = MAX_IMPORTED_RECORDS, maxMemory = getHeapStatistics().heap_size_limit }: ImportLimits = {},
): Promise<void> {
  const files = filesAt(io);
  const hashFilter = await readFilterOptions(options, files);
  const names = options.task === undefined ? undefined : createTaskNames(options.task);
  const tally = createTally();
  const progress = createProgress(io, "importing");
  const write = createWriter(createCassetteStore(files), options, tally);
  for (const log of logs) {
    try {
      const text = await yamlToJson(await readLog(files, log), log);
      const runs = readRuns(log, text, { ...options, ...defined({ hashFilter, names }), maxRecords, maxMemory }, tally);
      for (const batch of inBatches(runs, BATCH)) {
        await write(batch, log);
        progress.step(tally.written.length, 0);
      }
    } catch (error) {
      refuseLog(tally, toFailure(error, log));
    }
  }
  progress.clear();

  const exitCode = exitCodeFor(tally);
  io.exit(exitCode);
  if (options.json === true) writeJson(io, "import", exitCode, { out: options.out, ...toJsonTally(tally) });
  else printTally(createPrinter(io), tally, options.out);
}

/** A log that was cut short is a failure, because the rest of it is unknown. */
function exitCodeFor(tally: Tally): ExitCode {
  const { written, existed, isCutShort } = tally;
  if (countRefused(tally) + existed.length === 0) return EXIT.ok;
  return !isCutShort && written.length > 0 ? EXIT.drift : EXIT.failed;
}

/** Yields the runs of one log, and tallies records that cannot be read. Throws for a log with no record, or with too many. */
function* readRuns(
  log: string,
  text: string,
  options: ImportCommandOptions & Required<ImportLimits> & Pick<ImportOptions, "hashFilter"> & { names?: TaskNames },
  tally: Tally,
): Generator<ImportedCassette> {
  let records = 0;
  const countRecord = (): void => {
    if (++records <= options.maxRecords) return;
    const message = `${log} has more records than the limit of ${options.maxRecords}; the rest was not read`;
    throw new CliError("log-too-large", message, "Split it into smaller files.", log);
  };
  const importOptions: ImportOptions = {
    // Only the name, because the path on this machine should not be published.
    source: basename(log),
    recordedAt: new Date().toISOString(),
    maxMemory: options.maxMemory,
    onError(error) {
      countRecord();
      refuseRecord(tally, { ...toFailure(error), file: log });
    },
    ...defined({
      format: options.format,
      model: options.model,
      hashFilter: options.hashFilter,
      keepErrors: options.keepErrors,
    }),
    ...(options.redact === false ? { redact: false as const } : {}),
  };
  const naming = options.names === undefined ? undefined : { names: options.names, path: log };
  for (const imported of importRuns(text, importOptions, naming)) {
    countRecord();
    yield imported;
  }
  if (records > 0) return;
  const hint = "A log is one JSON document, a JSON array, or one JSON value on each line.";
  throw new CliError("nothing-found", `${log} contains no record, so nothing was imported from it`, hint, log);
}

/** Yields the items before an error, then throws it. */
function* inBatches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  try {
    for (const item of items) {
      batch.push(item);
      if (batch.length < size) continue;
      const full = batch;
      batch = [];
      yield full;
    }
  } catch (error) {
    if (batch.length > 0) yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

/** Writes cassettes, and tallies the results in order. */
function createWriter(store: CassetteStore, { out, force = false }: ImportCommandOptions, tally: Tally) {
  const claim = createClaims(out);

  async function writeOne({ path, cassette }: ImportedCassette, log: string): Promise<Written> {
    try {
      const file = pathBelow(out, path);
      claim(path, log);
      await store.save(file, cassette, { overwrite: force });
      return { file };
    } catch (error) {
      return { error };
    }
  }

  return async (batch: readonly ImportedCassette[], log: string): Promise<void> => {
    const results = await Promise.all(batch.map((imported) => writeOne(imported, log)));
    for (const [index, imported] of batch.entries()) tallyWrite(imported, results[index] as Written, log, out, tally);
  };
}

type Written = { file: string } | { error: unknown };

function tallyWrite(imported: ImportedCassette, result: Written, log: string, out: string, tally: Tally): void {
  const { path, model, task, trial, cassette, repairs } = imported;
  if ("file" in result) {
    const run = { file: result.file, log, model, task, ...defined({ trial }) };
    const exchanges = cassette.extensions?.exchanges?.length;
    tally.written.push({ ...run, turns: cassette.entries.length, ...defined({ exchanges }) });
    for (const rule of cassette.extensions?.redacted ?? []) {
      // An import has no values to search for, so this counts repetitions of what another rule found.
      if (rule === "value") continue;
      tally.redacted.set(rule, (tally.redacted.get(rule) ?? 0) + 1);
    }
    for (const { kind, count } of repairs) tally.repairs.set(kind, (tally.repairs.get(kind) ?? 0) + count);
    return;
  }
  const { error } = result;
  const existed = error instanceof CassetteError && error.code === "file-exists";
  if (existed) tally.existed.push({ file: pathBelow(out, path), log });
  else refuseRecord(tally, toFailure(error, log));
}

/** The first record with a path keeps it, even with --force. Some disks do not distinguish names that differ only in case. */
function createClaims(out: string): (path: string, log: string) => void {
  const takenBy = new Map<string, string>();
  return (path, log) => {
    const key = path.toLowerCase();
    const first = takenBy.get(key);
    if (first === undefined) {
      takenBy.set(key, log);
      return;
    }
    const hint = `Import ${log} by itself into another folder, such as --out ${join(dirname(out), `${basename(out)}-2`)}.`;
    const message = `a record of ${log} has the path ${path}, which a record of ${first} already has`;
    throw new CliError("path-taken", message, hint, log);
  };
}

/** The last check before the disk. The importer makes safe paths. */
export function pathBelow(out: string, path: string): string {
  const [folder, whole] = [resolve(out), resolve(out, path)];
  if (whole !== folder && isWithin(folder, whole)) return join(out, path);
  const message = `${JSON.stringify(path)} is outside of ${out}`;
  throw new CliError("path-outside", message, "Rename the task or model in the log.");
}
