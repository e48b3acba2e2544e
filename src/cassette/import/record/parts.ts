// Splits a text into the runs of its records, each with its format. A bad record does not affect the others.

import { MAX_JSON_DEPTH, NotJsonError, type JsonValue } from "../../../core/index.js";
import { CassetteError } from "../../errors.js";
import { assertFits } from "./contradiction.js";
import { detectFormat } from "./detect.js";
import { FORMATS, IMPORT_FORMATS, type ImportFormat } from "../registry.js";
import { readRecords, type RecordPlace } from "./records.js";
import { isObject, malformed } from "../foreign-json.js";

export interface LogPart {
  place: RecordPlace;
  format: ImportFormat;
  value: JsonValue;
}

interface PartOptions {
  source: string;
  format?: ImportFormat;
  maxMemory?: number;
  keepErrors?: boolean;
}

/** The runs of a text in order. Those of a format that gathers its records come last. */
export function* readParts(text: string, options: PartOptions): Generator<LogPart | { error: CassetteError }> {
  const whole = fromText(text, options.format);
  if (whole !== undefined) {
    yield* splitRecord(whole, options);
    return;
  }
  const gathered = new Map<ImportFormat, { place: RecordPlace; records: JsonValue[] }>();
  /** The formats of the lines so far, the last one first. */
  let before: readonly ImportFormat[] = [];
  for (const record of readRecords(text, options.maxMemory)) {
    const { place } = record;
    const format = attempt(place, options, () => {
      if ("error" in record) throw record.error;
      return recogniseFormat(record.value as JsonValue, options.format, before);
    });
    if (format instanceof CassetteError) {
      yield { error: format };
      continue;
    }
    if (before[0] !== format) before = [format, ...before.filter((name) => name !== format)];
    const value = (record as { value: JsonValue }).value;
    if (FORMATS[format].gathers !== true) yield* splitRecord({ place, format, value }, options);
    else if (gathered.has(format)) gathered.get(format)?.records.push(value);
    else gathered.set(format, { place, records: [value] });
  }
  for (const [format, { place, records }] of gathered) yield* splitRecord({ place, format, value: records }, options);
}

/** A text that is not JSON, as the one record of its format. */
function fromText(text: string, forced: ImportFormat | undefined): LogPart | undefined {
  // A byte-order mark and JSON belong to the reader of records.
  if (/^\s*[\uFEFF[{]/.test(text.slice(0, 1_000))) return undefined;
  for (const format of forced === undefined ? IMPORT_FORMATS : [forced]) {
    const value = FORMATS[format].fromText?.(text, forced !== undefined);
    if (value !== undefined) return { place: { unit: "line", number: 1 }, format, value };
  }
  return undefined;
}

/** Returns what `read` returns, or the error it throws with the place of the record in front. */
export function attempt<T>(place: RecordPlace, { source }: PartOptions, read: () => T): T | CassetteError {
  try {
    return read();
  } catch (error) {
    if (error instanceof CassetteError) return placed(error, place, source);
    // Names with dots and JSON in texts nest once they are unpacked.
    if (error instanceof NotJsonError) return placed(malformed(describeFlaw(error)), place, source);
    throw error;
  }
}

function describeFlaw({ reason }: NotJsonError): string {
  return reason === "depth"
    ? `it is nested deeper than ${MAX_JSON_DEPTH} levels once it is unpacked`
    : `it holds a value that JSON cannot hold (${reason})`;
}

function* splitRecord(part: LogPart, options: PartOptions): Generator<LogPart | { error: CassetteError }> {
  const { split } = FORMATS[part.format];
  const values =
    split === undefined ? [part.value] : attempt(part.place, options, () => split(part.value, options.keepErrors));
  if (values instanceof CassetteError) yield { error: values };
  else for (const value of values) yield { ...part, value };
}

/** The caller's format counts, unless the record contradicts it. */
function recogniseFormat(
  value: JsonValue,
  forced: ImportFormat | undefined,
  before: readonly ImportFormat[],
): ImportFormat {
  if (forced !== undefined) {
    assertFits(value, forced);
    return forced;
  }
  const detection = detectFormat(value, before);
  if (detection.kind === "known") return detection.format;
  throw new CassetteError("import-unknown-format", `it is not in a known log format: it is ${detection.saw}`, {
    hint: isStreamJson(value)
      ? STREAM_JSON_HINT
      : `Convert it to a known format, such as openai-messages ({"messages": […]}). Known are ${IMPORT_FORMATS.join(", ")}.`,
  });
}

/** True for the first line that Claude Code and Gemini CLI print with `--output-format stream-json`. */
function isStreamJson(value: JsonValue): boolean {
  if (!isObject(value) || typeof value["session_id"] !== "string") return false;
  return value["type"] === "init" || (value["type"] === "system" && value["subtype"] === "init");
}

const STREAM_JSON_HINT =
  "It begins the output of --output-format stream-json, which leaves out parts of the conversation. Import the session that the agent keeps: ~/.claude/projects/<folder>/<session_id>.jsonl of Claude Code, or ~/.gemini/tmp/<folder>/chats/ of Gemini CLI.";

function placed(error: CassetteError, place: RecordPlace, source: string): CassetteError {
  return new CassetteError(error.code, `${source}, ${place.unit} ${place.number}: ${error.summary}`, {
    hint: error.hint ?? "Leave the record out, or correct it.",
    file: source,
    cause: error.cause ?? error,
  });
}
