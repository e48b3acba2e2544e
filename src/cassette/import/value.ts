// Foreign JSON at the door: made fit for a cassette once, so that the readers behind it need not ask again.

import { isPlainObject, MAX_JSON_DEPTH, setOwn, type JsonObject, type JsonValue } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { RepairLog } from "./repair.js";

/** A value lies at most eight levels deeper in a cassette (entries/n/prompt/messages/n/toolCalls/n/arguments) than in its log. */
const MAX_DEPTH = MAX_JSON_DEPTH - 8;

/**
 * A copy of parsed JSON with lone surrogates replaced (WebIDL's USVString conversion) and counted. Throws
 * `import-malformed` for what no cassette can hold: a number that overflowed, nesting too deep, two keys made equal.
 */
export function cleanJson(value: unknown, repairs: RepairLog, depth = 0): JsonValue {
  if (typeof value === "string") return cleanText(value, repairs);
  if (typeof value === "number" && !Number.isFinite(value)) throw malformed("a number is too large for a double");
  if (typeof value !== "object" || value === null) return value as JsonValue;
  if (depth >= MAX_DEPTH) throw malformed(`it is nested deeper than ${MAX_DEPTH} levels`);
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

/** The refusal of a record that cannot be read; whoever knows its place puts that in front. */
export function malformed(why: string): CassetteError {
  return new CassetteError("import-malformed", why);
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return isPlainObject(value);
}

/** A name that may be written as text or as a number; undefined for everything else and for the empty text. */
export function toName(value: JsonValue | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A count that may be written as text, such as a 64-bit integer of OTLP; undefined for everything else. */
export function toNumber(value: JsonValue | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Text as it is, everything else as the empty text: for a word that is compared with known ones. */
export function toText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** What a model thought: a text, or a list of nothing but texts, each a thought of its own; a thought without words is none. */
export function toThoughts(value: JsonValue | undefined): string[] {
  const list = Array.isArray(value) ? value : [value];
  const texts = list.filter((item) => typeof item === "string");
  return texts.length < list.length ? [] : texts.filter((text) => text !== "");
}
