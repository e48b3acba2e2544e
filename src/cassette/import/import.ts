// Converts agent logs of any format (registry.ts) to cassettes. Pure: it takes a text and returns cassettes. The caller reads and writes
// the files.

import { defined, type JsonValue } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { CassetteV2 } from "../file/format.js";
import type { HashFilterOption } from "../prompt/hash-filters.js";
import type { RedactOption } from "../redact/options.js";
import { toCassette } from "./cassette.js";
import type { LogFacts } from "./log-run.js";
import { createPathIssuer, toStem, type RunName } from "./path.js";
import { fittingHint } from "./record/contradiction.js";
import { attempt, readParts, type LogPart } from "./record/parts.js";
import { redactImported } from "./redact.js";
import { FORMATS, type ImportFormat, type ReadRun } from "./registry.js";
import { createTaskNames, type TaskNames } from "./task-name.js";
import { createRepairLog, type Repair, type RepairLog } from "./repair.js";
import { cleanJson, isObject, malformed } from "./foreign-json.js";

/** The options of `parseImport`. */
export interface ImportOptions {
  /** The source of the text, such as a file name. The cassette and error messages contain it. */
  source: string;
  /** Reads every record as this format instead of detecting it. */
  format?: ImportFormat;
  /** ISO 8601, the cassettes' `recordedAt`. */
  recordedAt: string;
  /** The model of records that name no model. Default: the source's stem for tau-bench, and "unknown" for other formats. */
  model?: string;
  /** Names the task of each run by a pattern, such as `{cwd}-{prompt}` (docs/convert.md). Runs of one name are numbered. */
  task?: string;
  /** The secrets to redact, as in a recorder. Default: those of `SECRET_RULES`. False turns redaction off. */
  redact?: RedactOption;
  /** Rewrites the prompts, as in a recorder. The cassette notes the names. */
  hashFilter?: HashFilterOption;
  /** Keeps turns of recorded HTTP that the vendor refused (status 400 and above) as exchanges. Default: they are counted and left out. */
  keepErrors?: boolean;
  /** Called with the error of an unreadable record. Reading then continues. Without it, the error is thrown. */
  onError?: (error: CassetteError) => void;
  /** Limit in bytes of heap memory for reading a document or a line, by a safe estimate. Default: no limit. */
  maxMemory?: number;
}

/** One run of the log. `path` is made by `createPathIssuer`, and unique among the runs of one text. */
export interface ImportedCassette extends RunName {
  path: string;
  cassette: CassetteV2;
  repairs: Repair[];
}

/** Reads a log, as `parseImport` does. */
export function importLog(text: string, options: ImportOptions): Generator<ImportedCassette> {
  const { task, source } = options;
  return importRuns(text, options, task === undefined ? undefined : { names: createTaskNames(task), path: source });
}

/** How runs are named. Several logs may share names. */
export interface RunNaming {
  names: TaskNames;
  /** The path of the log, which is kept nowhere else. */
  path: string;
}

/** Reads a log. With `naming`, its runs get names that no run of another log has. */
export function* importRuns(
  text: string,
  options: Omit<ImportOptions, "task">,
  naming: RunNaming | undefined,
): Generator<ImportedCassette> {
  const issuePath = createPathIssuer();
  for (const part of readParts(text, options)) {
    const imported = "error" in part ? part.error : importPart(part, options, issuePath, naming);
    if (!(imported instanceof CassetteError)) yield imported;
    else if (options.onError === undefined) throw imported;
    else options.onError(imported);
  }
}

function importPart(
  part: LogPart,
  options: ImportOptions,
  issuePath: ReturnType<typeof createPathIssuer>,
  naming: RunNaming | undefined,
): ImportedCassette | CassetteError {
  const { place, format } = part;
  return attempt(place, options, () => {
    const log = createRepairLog();
    const value = cleanJson(part.value, log);
    const run = readRun(value, format, options.format !== undefined, log);
    const own = nameRun(run, part, options);
    const name = naming?.names.name(run, own, { path: naming.path, redact: options.redact }) ?? own;
    const context = { ...name, format, source: options.source, recordedAt: options.recordedAt };
    const { cassette, repairs } = toCassette(run, context, log);
    return { ...name, path: issuePath(name), cassette: redactImported(cassette, options), repairs };
  });
}

/** Adds a hint to a reader's error if the caller forced the wrong format. The hint names the right one. */
function readRun(value: JsonValue, format: ImportFormat, isForced: boolean, log: RepairLog): ReadRun {
  const record = Array.isArray(value) ? { messages: value } : value;
  try {
    if (!isObject(record)) throw malformed(`it is not in ${format} format: it must be an object`);
    return FORMATS[format].read(record, log);
  } catch (error) {
    const hint = isForced ? fittingHint(value, format) : undefined;
    if (!(error instanceof CassetteError) || error.hint !== undefined || hint === undefined) throw error;
    throw new CassetteError(error.code, error.summary, { hint, cause: error });
  }
}

function nameRun({ model, task, trial }: LogFacts, { format, place }: LogPart, options: ImportOptions): RunName {
  const stem = toStem(options.source);
  return {
    model: model ?? options.model ?? (format === "tau-bench" ? stem : "unknown"),
    task: task ?? `${stem}-${place.number}`,
    ...defined({ trial }),
  };
}
