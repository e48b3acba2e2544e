// Agent logs to cassettes, whatever the format (formats.ts). Pure: a text in, cassettes out; reading the file, and writing
// what comes of it, is the caller's.

import { defined } from "../../core/index.js";
import type { JsonValue } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { CassetteV2 } from "../file/format.js";
import type { RedactOption } from "../redact/options.js";
import type { LogCalls } from "./trace/model-calls.js";
import { toCassette } from "./cassette.js";
import { fittingHint } from "./record/contradiction.js";
import { FORMATS, type ImportFormat } from "./registry.js";
import type { LogFacts, LogRun } from "./log.js";
import { attempt, readParts, type LogPart } from "./record/parts.js";
import { createPathIssuer, toStem, type PathIssuer, type RunName } from "./path.js";
import type { RecordPlace } from "./record/records.js";
import { redactImported } from "./redact.js";
import { createRepairLog, type Repair, type RepairLog } from "./repair.js";
import type { LogTurns } from "./turns.js";
import { cleanJson, isObject, malformed } from "./value.js";

/** The options of {@link parseImport}. */
export interface ImportOptions {
  /** Where the text came from, such as a file name: kept in the cassette, and named in errors. */
  source: string;
  /** Reads every record as this format instead of recognising each. */
  format?: ImportFormat;
  /** ISO 8601, the cassettes' `recordedAt`. */
  recordedAt: string;
  /** The model of records that name none. Without it: the source's stem for tau-bench, else "unknown". */
  model?: string;
  /** What is taken out, as a recorder does. Default: the secrets of `SECRET_RULES`. False: nothing. */
  redact?: RedactOption;
  /** Takes the error of a record that cannot be read, and the next record is read. Without it the error is thrown. */
  onError?: (error: CassetteError) => void;
  /** Bytes on the heap that reading a document or a line may take, by an estimate on the safe side. Default: no limit. */
  maxMemory?: number;
}

/** One run of the log. `path` is made by `createPathIssuer`, and unique among the runs of one text. */
export interface ImportedCassette extends RunName {
  path: string;
  cassette: CassetteV2;
  repairs: Repair[];
}

/**
 * Reads `text` (one JSON document, an array, or JSON Lines) one run at a time. Throws `CassetteError`, or gives it to
 * `onError`: a record that is not JSON or cannot be read is `import-malformed`, one that no format fits is
 * `import-unknown-format`; both say where. A document beyond `maxMemory` is `too-large`, and is always thrown.
 */
export function* parseImport(text: string, options: ImportOptions): Generator<ImportedCassette> {
  const issuePath = createPathIssuer();
  for (const part of readParts(text, options)) {
    const imported = "error" in part ? part.error : importPart(part, options, issuePath);
    if (!(imported instanceof CassetteError)) yield imported;
    else if (options.onError === undefined) throw imported;
    else options.onError(imported);
  }
}

function importPart(part: LogPart, options: ImportOptions, issuePath: PathIssuer): ImportedCassette | CassetteError {
  const { place, format } = part;
  return attempt(place, options, () => {
    const log = createRepairLog();
    const value = cleanJson(part.value, log);
    const run = readRun(value, format, options.format !== undefined, log);
    const name = nameRun(run, format, place, options);
    const context = { ...name, format, source: options.source, recordedAt: options.recordedAt };
    const { cassette, repairs } = toCassette(run, context, log);
    return { ...name, path: issuePath(name), cassette: redactImported(cassette, options.redact), repairs };
  });
}

/** Told which format a record is, its reader has the first word on what is wrong, and a format that fits is named. */
function readRun(
  value: JsonValue,
  format: ImportFormat,
  isForced: boolean,
  log: RepairLog,
): LogRun | LogCalls | LogTurns {
  const record = Array.isArray(value) ? { messages: value } : value;
  try {
    if (!isObject(record)) throw malformed(`it is no ${format} record: it is no object`);
    return FORMATS[format].read(record, log);
  } catch (error) {
    const hint = isForced ? fittingHint(value, format) : undefined;
    if (!(error instanceof CassetteError) || error.hint !== undefined || hint === undefined) throw error;
    throw new CassetteError(error.code, error.summary, { hint, cause: error });
  }
}

function nameRun(run: LogFacts, format: ImportFormat, place: RecordPlace, options: ImportOptions): RunName {
  const stem = toStem(options.source);
  return {
    model: run.model ?? options.model ?? (format === "tau-bench" ? stem : "unknown"),
    task: run.task ?? `${stem}-${place.number}`,
    ...defined({ trial: run.trial }),
  };
}
