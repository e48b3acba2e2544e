// The records of a text: one JSON document, the items of an array, or JSON Lines. A line that is not JSON does not affect the
// others.

import { parseBoundedJson, thrownText } from "../../../core/index.js";
import { CassetteError } from "../../errors.js";
import { refuseWeight } from "../../file/json.js";
import { isMessageList } from "../formats/message-log.js";

/** The place of a record: a line counted from 1, or an item of an array counted from 0. */
export interface RecordPlace {
  unit: "line" | "record";
  number: number;
}

/** How much of a text shows whether it is one document or has a document on each line. */
const HEAD_LINES = 20;
const MAX_HEAD_CHARACTERS = 100_000;

type LogRecord = { place: RecordPlace; value: unknown } | { place: RecordPlace; error: CassetteError };

/**
 * Splits a text into records, in order. Throws `import-malformed` for a text that begins with a byte-order mark, and `too-large`
 * for a document that is likely to take more than `maxMemory` bytes. A line that is too large becomes an error of its own.
 */
export function* readRecords(text: string, maxMemory = Infinity): Generator<LogRecord> {
  if (text.startsWith("\uFEFF")) {
    throw new CassetteError("import-malformed", "the log begins with a byte-order mark (U+FEFF)", {
      hint: "Save it as UTF-8 without a byte-order mark.",
    });
  }
  const whole = isLines(text, maxMemory) ? undefined : parseJson(text, maxMemory);
  if (whole?.isJson === false && whole.cause instanceof CassetteError) throw whole.cause;
  if (whole?.isJson === false && isDocument(text, maxMemory)) {
    yield { place: { unit: "line", number: 1 }, error: documentError(whole.cause) };
  } else if (whole?.isJson !== true) yield* readLines(text, maxMemory);
  else if (!Array.isArray(whole.value) || isMessageList(whole.value)) {
    yield { place: { unit: "line", number: 1 }, value: whole.value };
  } else {
    for (const [number, value] of whole.value.entries()) yield { place: { unit: "record", number }, value };
  }
}

/** True where the first line is JSON by itself and more text follows. */
function isLines(text: string, maxMemory: number): boolean {
  const end = text.indexOf("\n");
  return end >= 0 && /\S/.test(text.slice(end, end + 10_000)) && parseJson(text.slice(0, end), maxMemory).isJson;
}

/** True for one JSON document over several lines that is damaged: none of its first lines is JSON by itself. */
function isDocument(text: string, maxMemory: number): boolean {
  const lines = text
    .slice(0, MAX_HEAD_CHARACTERS)
    .split("\n", HEAD_LINES)
    .filter((line) => line.trim() !== "");
  return /^\s*[[{]\s*$/.test(lines[0] ?? "") && lines.every((line) => !parseJson(line, maxMemory).isJson);
}

function documentError(cause: unknown): CassetteError {
  return new CassetteError("import-malformed", `it is not a whole JSON document: ${thrownText(cause)}`, {
    hint: "It was cut short or edited. Export it again, or correct it there.",
    cause,
  });
}

/** Reads one line at a time: the text may have more lines than a list can hold. */
function* readLines(text: string, maxMemory: number): Generator<LogRecord> {
  let number = 0;
  for (let start = 0, end = 0; end < text.length; start = end + 1) {
    number++;
    const found = text.indexOf("\n", start);
    end = found < 0 ? text.length : found;
    if (end === start) continue;
    const line = text.slice(start, end);
    if (line.trim() === "") continue;
    const place: RecordPlace = { unit: "line", number };
    const parsed = parseJson(line, maxMemory);
    yield parsed.isJson ? { place, value: parsed.value } : { place, error: lineError(parsed.cause) };
  }
}

function lineError(cause: unknown): CassetteError {
  if (cause instanceof CassetteError) return cause;
  return new CassetteError("import-malformed", `it is not JSON: ${thrownText(cause)}`, {
    hint: "A log is one JSON document, a JSON array, or one JSON value on each line.",
    cause,
  });
}

function parseJson(
  text: string,
  maxMemory: number,
): { isJson: true; value: unknown } | { isJson: false; cause: unknown } {
  try {
    refuseWeight(text, maxMemory, (code, message, hint) => {
      throw new CassetteError(code, message, { hint });
    });
    return { isJson: true, value: parseBoundedJson(text) };
  } catch (cause) {
    return { isJson: false, cause };
  }
}
