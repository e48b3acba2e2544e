// Agent logs to cassettes: OpenAI or Anthropic message logs, AgentDojo runs, tau-bench results. Pure: a text in, cassettes
// out; reading the file, and writing what comes of it, is the caller's.

import type { JsonObject, JsonValue } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { CassetteV2 } from "../format.js";
import { readAgentDojo } from "./agentdojo.js";
import { readAnthropicMessages, readSystem } from "./anthropic.js";
import { toCassette } from "./cassette.js";
import { assertFits, fittingHint } from "./contradiction.js";
import { detectFormat, IMPORT_FORMATS, type ImportFormat } from "./detect.js";
import type { LogRun } from "./log.js";
import { readOpenAiMessages } from "./openai.js";
import { createPathIssuer, toStem, type PathIssuer, type RunName } from "./path.js";
import { readRecords, type LogRecord, type RecordPlace } from "./records.js";
import { createRepairLog, type Repair, type RepairLog } from "./repair.js";
import { readTauBench } from "./tau-bench.js";
import { readTools } from "./tools.js";
import { cleanJson, isObject, malformed, toName } from "./value.js";

export interface ImportOptions {
  /** Where the text came from, such as a file name: kept in the cassette, and named in errors. */
  source: string;
  /** Reads every record as this format instead of recognising each. */
  format?: ImportFormat;
  /** ISO 8601, the cassettes' `recordedAt`. */
  recordedAt: string;
  /** The model of records that name none. Without it: the source's stem for tau-bench, else "unknown". */
  model?: string;
  /** Takes the error of a record that cannot be read, and the next record is read. Without it the error is thrown. */
  onError?: (error: CassetteError) => void;
}

/** One run of the log. `path` is made by `createPathIssuer`, and unique among the runs of one text. */
export interface ImportedCassette extends RunName {
  path: string;
  cassette: CassetteV2;
  repairs: Repair[];
}

/**
 * Reads `text` (one JSON document, an array, or JSON Lines) one run at a time. A record that is not JSON or cannot be
 * read is `import-malformed`, one that no format fits is `import-unknown-format`; both say where.
 */
export function* parseImport(text: string, options: ImportOptions): Generator<ImportedCassette> {
  const issuePath = createPathIssuer();
  for (const record of readRecords(text)) {
    const imported = importRecord(record, options, issuePath);
    if (!(imported instanceof CassetteError)) yield imported;
    else if (options.onError === undefined) throw imported;
    else options.onError(imported);
  }
}

function importRecord(
  record: LogRecord,
  options: ImportOptions,
  issuePath: PathIssuer,
): ImportedCassette | CassetteError {
  try {
    if ("error" in record) throw record.error;
    const log = createRepairLog();
    const value = cleanJson(record.value, log);
    const format = options.format ?? recogniseFormat(value);
    const run = options.format === undefined ? readRun(value, format, log) : readForced(value, format, log);
    const name = nameRun(run, format, record.place, options);
    const context = { ...name, format, source: options.source, recordedAt: options.recordedAt };
    const { cassette, repairs } = toCassette(run, context, log);
    return { ...name, path: issuePath(name), cassette, repairs };
  } catch (error) {
    if (error instanceof CassetteError) return placed(error, record.place, options.source);
    throw error;
  }
}

function recogniseFormat(value: JsonValue): ImportFormat {
  const detection = detectFormat(value);
  if (detection.kind === "known") return detection.format;
  throw new CassetteError("import-unknown-format", `no known log format: ${detection.saw}`, {
    hint: `These formats are read: ${IMPORT_FORMATS.join(", ")}.`,
  });
}

/** The caller's word decides, but not against what the record says of itself. */
function readForced(value: JsonValue, format: ImportFormat, log: RepairLog): LogRun {
  assertFits(value, format);
  try {
    return readRun(value, format, log);
  } catch (error) {
    const hint = fittingHint(value, format);
    if (!(error instanceof CassetteError) || error.hint !== undefined || hint === undefined) throw error;
    throw new CassetteError(error.code, error.summary, { hint, cause: error });
  }
}

function readRun(value: JsonValue, format: ImportFormat, log: RepairLog): LogRun {
  const record = Array.isArray(value) ? { messages: value } : value;
  if (!isObject(record)) throw malformed(`it is no ${format} record: it is no object`);
  switch (format) {
    case "agentdojo":
      return readAgentDojo(record, log);
    case "tau-bench":
      return readTauBench(record, log);
    case "openai-messages":
    case "anthropic-messages":
      return readMessageLog(record, format, log);
  }
}

/** A request body, or a record around its messages. */
function readMessageLog(record: JsonObject, format: "openai-messages" | "anthropic-messages", log: RepairLog): LogRun {
  const { messages } = record;
  if (!Array.isArray(messages)) throw malformed(`it is no ${format} record: it has no list of messages`);
  const read = format === "openai-messages" ? readOpenAiMessages : readAnthropicMessages;
  const model = toName(record["model"]);
  const task = toName(record["task"]) ?? toName(record["task_id"]) ?? toName(record["id"]);
  const trial = toName(record["trial"]);
  const origin = toName(record["source"]);
  const tools = readTools(record["tools"] ?? record["functions"], log);
  return {
    ...(model === undefined ? {} : { model }),
    ...(task === undefined ? {} : { task }),
    ...(trial === undefined ? {} : { trial }),
    ...(origin === undefined ? {} : { origin }),
    ...(tools === undefined ? {} : { tools }),
    messages: [...readSystem(record["system"], log), ...read(messages, log)],
  };
}

function nameRun(run: LogRun, format: ImportFormat, place: RecordPlace, options: ImportOptions): RunName {
  const stem = toStem(options.source);
  return {
    model: run.model ?? options.model ?? (format === "tau-bench" ? stem : "unknown"),
    task: run.task ?? `${stem}-${place.number}`,
    ...(run.trial === undefined ? {} : { trial: run.trial }),
  };
}

function placed(error: CassetteError, place: RecordPlace, source: string): CassetteError {
  return new CassetteError(error.code, `${source}, ${place.unit} ${place.number}: ${error.summary}`, {
    hint: error.hint ?? "Leave the record out, or mend it.",
    file: source,
    cause: error.cause ?? error,
  });
}
