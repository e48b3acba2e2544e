// Recognises the format of one record by its shape.

import type { JsonValue } from "../../../core/index.js";
import { FORMATS, IMPORT_FORMATS, type ImportFormat } from "../registry.js";
import { isObject } from "../foreign-json.js";

/** `saw` describes an unknown record in a few words. */
export type Detection = { kind: "known"; format: ImportFormat } | { kind: "unknown"; saw: string };

/**
 * Recognises a record. Some lines mean something only after one of their own format: `before` has the formats of the lines so far, the
 * last one first. A line that a log's format knows by itself is never taken for a note of another. A list of plain user and assistant
 * messages, which both vendors write alike, counts as OpenAI's.
 */
export function detectFormat(record: JsonValue, before: readonly ImportFormat[] = []): Detection {
  const byItself = (name: ImportFormat): boolean => FORMATS[name].detect(record);
  const format =
    IMPORT_FORMATS.find((name) => FORMATS[name].gathers === true && byItself(name)) ??
    before.find((name) => FORMATS[name].detect(record, name)) ??
    IMPORT_FORMATS.find(byItself);
  return format === undefined ? { kind: "unknown", saw: describe(record) } : { kind: "known", format };
}

function describe(record: JsonValue): string {
  if (Array.isArray(record)) return record.length === 0 ? "an empty list" : "a list of something other than messages";
  if (!isObject(record)) return record === null ? "null" : `a ${typeof record}`;
  const keys = Object.keys(record);
  if (keys.length === 0) return "an empty object";
  const shown = keys.slice(0, 8).map((key) => JSON.stringify(key.slice(0, 40)));
  return `an object with ${shown.join(", ")}${keys.length > shown.length ? ", …" : ""}`;
}
