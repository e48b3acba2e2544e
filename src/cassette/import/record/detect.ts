// Recognises the format of one record by its shape.

import type { JsonValue } from "../../../core/index.js";
import { FORMATS, IMPORT_FORMATS, type ImportFormat } from "../registry.js";
import { isObject } from "../foreign-json.js";

/** `saw` describes an unknown record in a few words. */
export type Detection = { kind: "known"; format: ImportFormat } | { kind: "unknown"; saw: string };

/** Recognises a record. A line may mean something only after one of its own format, `before`. A list of plain user and assistant messages, which both vendors write alike, counts as OpenAI's. */
export function detectFormat(record: JsonValue, before?: string): Detection {
  const format = IMPORT_FORMATS.find((name) => FORMATS[name].detect(record, before));
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
