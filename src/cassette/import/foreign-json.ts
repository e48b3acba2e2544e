// Foreign JSON, cleaned once so that no reader behind it has to check again, and tolerant readers of its values.

import { isPlainObject, MAX_JSON_DEPTH, setOwn, type JsonObject, type JsonValue } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { RepairLog } from "./repair.js";

/** A cassette nests a value up to eight levels deeper than its log (entries/n/prompt/messages/n/toolCalls/n/arguments). */
const VALUE_DEPTH = MAX_JSON_DEPTH - 8;

/**
 * Copies parsed JSON. Lone surrogates are replaced (WebIDL's USVString conversion) and counted. Throws `import-malformed`
 * for what a cassette cannot hold: a number that overflowed, nesting too deep, two keys that became equal.
 */
export function cleanJson(value: unknown, repairs: RepairLog, depth = 0): JsonValue {
  if (typeof value === "string") return cleanText(value, repairs);
  if (typeof value === "number" && !Number.isFinite(value)) throw malformed("a number is too large for a double");
  if (typeof value !== "object" || value === null) return value as JsonValue;
  if (depth >= VALUE_DEPTH) throw malformed(`it is nested deeper than ${VALUE_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, repairs, depth + 1));
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const name = cleanText(key, repairs);
    if (Object.hasOwn(result, name)) throw malformed("two keys are equal once their lone surrogates are replaced");
    setOwn(result, name, cleanJson(item, repairs, depth + 1));
  }
  return result;
}

function cleanText(text: string, repairs: RepairLog): string {
  if (text.isWellFormed()) return text;
  repairs.add("lone-surrogate-replaced");
  return text.toWellFormed();
}

/** The error for a record that cannot be read. Its place is put in front later (record/parts.ts). */
export function malformed(why: string): CassetteError {
  return new CassetteError("import-malformed", why);
}

/** The list in `field` of a record. Throws `import-malformed` for a record without one, which is not `what`. */
export function listIn(record: JsonValue, field: string, what: string): JsonValue[] {
  const list = isObject(record) ? record[field] : undefined;
  if (!Array.isArray(list)) throw malformed(`it is not ${what}: its \`${field}\` must be a list`);
  return list;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return isPlainObject(value);
}

export function toObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function toList(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A name written as text or as a number; undefined for everything else and for the empty text. */
export function toName(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A number, or one written as text such as a 64-bit integer of OTLP; undefined for everything else. */
export function toNumber(value: JsonValue | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** A number of at least 0, such as of tokens or dollars; undefined for everything else. */
export function toCount(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function toText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The thoughts of a model: a text, or a list of texts only. Empty thoughts are left out. */
export function toThoughts(value: JsonValue | undefined): string[] {
  const list = Array.isArray(value) ? value : [value];
  const texts = list.filter((item) => typeof item === "string");
  return texts.length < list.length ? [] : texts.filter((text) => text !== "");
}
