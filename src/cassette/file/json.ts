// Strict JSON text (RFC 8259): refuses a byte-order mark, duplicate keys, inexact numbers, lone surrogates, deep nesting, large files.

import {
  decodeExactUtf8,
  defined,
  endOfString,
  findTooDeep,
  MAX_JSON_DEPTH,
  sameDecimal,
  shorten,
  toVisible,
} from "../../core/index.js";
import { CassetteError, type LoadErrorCode } from "../errors.js";
import { DEFAULT_MAX_FILE_BYTES } from "../limits.js";
import { isTooHeavy } from "./memory-estimate.js";

export interface StrictJsonOptions {
  /** Named in every message. */
  file?: string;
  /** Default 64 MiB. */
  maxBytes?: number;
  /** Most bytes on the heap that reading may take, by a safe estimate. Default: any number. */
  maxMemory?: number;
  /** The hint for a malformed text. Default: restore the file or record it again. */
  remedy?: string;
}

/** The value of a JSON text. A `__proto__` key is data. Throws {@link CassetteError} with a `LoadErrorCode`. */
export function parseStrictJson(input: string | Uint8Array, options: StrictJsonOptions = {}): unknown {
  const refuse = (code: LoadErrorCode, message: string, advice: string): never => {
    const hint = advice === RESTORE ? (options.remedy ?? RESTORE) : advice;
    throw new CassetteError(code, message, { hint, ...defined({ file: options.file }) });
  };
  const text = toText(input, options.maxBytes ?? DEFAULT_MAX_FILE_BYTES, refuse);
  refuseDepth(text, refuse);
  refuseWeight(text, options.maxMemory ?? Infinity, refuse);
  const value = parse(text, refuse);
  scan(text, refuse);
  return value;
}

type Refuse = (code: LoadErrorCode, message: string, hint: string) => never;

const RESTORE = "Restore the file from version control, or record it again.";

function toText(input: string | Uint8Array, maxBytes: number, refuse: Refuse): string {
  const size = byteLength(input, maxBytes);
  const what = `the file has ${size} bytes, more than the limit of ${maxBytes}`;
  if (size > maxBytes) refuse("too-large", what, "Raise maxBytes if that is meant.");
  const text = typeof input === "string" ? input : decodeExactUtf8(input);
  if (text === undefined) return refuse("not-utf8", "the file is not UTF-8", RESTORE);
  if (text.startsWith("\uFEFF"))
    refuse("byte-order-mark", "the file starts with a byte-order mark", "Save it as UTF-8 without one.");
  if (!text.isWellFormed()) refuse("lone-surrogate", "the text holds a lone surrogate", RESTORE);
  return text;
}

/** Exact up to `maxBytes`. A UTF-16 unit takes at most three bytes of UTF-8, so only a text near the limit must be measured. */
export function byteLength(input: string | Uint8Array, maxBytes: number): number {
  if (typeof input !== "string" || input.length * 3 <= maxBytes || input.length > maxBytes) return input.length;
  return new TextEncoder().encode(input).length;
}

/** Called before the text is parsed, since a parser needs memory for each level. */
function refuseDepth(text: string, refuse: Refuse): void {
  const offset = findTooDeep(text, MAX_JSON_DEPTH);
  if (offset === undefined) return;
  refuse("too-deep", `${placeOf(text, offset)}: nesting deeper than ${MAX_JSON_DEPTH} levels`, RESTORE);
}

/** Called before the text is parsed, since a parser that runs out of memory ends the process. */
export function refuseWeight(text: string, maxMemory: number, refuse: Refuse): void {
  if (!isTooHeavy(text, maxMemory)) return;
  const room = Math.floor(maxMemory / 2 ** 20);
  refuse(
    "too-large",
    `the file holds so many objects, lists and values that ${room} MiB of memory may not suffice`,
    "If that is meant, give more: NODE_OPTIONS=--max-old-space-size=8192.",
  );
}

function placeOf(text: string, index: number): string {
  const before = text.slice(0, index);
  return `line ${before.split("\n").length}, column ${index - before.lastIndexOf("\n")}`;
}

function parse(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const why = toVisible((error as Error).message);
    return refuse("not-json", `the file is not JSON, or was cut short: ${why}`, RESTORE);
  }
}

/** The keys so far of an object that is open at the current place; undefined for an array. */
type Level = Set<string> | undefined;

const NUMBER = /-?\d[\d.eE+-]*/y;

/** Checks the tokens of a text that is known to be JSON. */
function scan(text: string, refuse: Refuse): void {
  const levels: Level[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    switch (unit) {
      case 0x7b: // {
        levels.push(new Set());
        expectsKey = true;
        break;
      case 0x5b: // [
        levels.push(undefined);
        expectsKey = false;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop();
        break;
      case 0x2c: // ,
        expectsKey = levels.at(-1) !== undefined;
        break;
      case 0x3a: // :
        expectsKey = false;
        break;
      case 0x22: // "
        at = checkString(text, at, expectsKey ? levels.at(-1) : undefined, refuse);
        break;
      default:
        // A minus sign or a digit.
        if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) at = checkNumber(text, at, refuse);
    }
  }
}

/** Only an escape can hold a lone surrogate, since the text is well-formed. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** `keys` are those of the object, if the string is a key. Returns the offset of the closing quote. */
function checkString(text: string, start: number, keys: Level, refuse: Refuse): number {
  const end = endOfString(text, start + 1);
  const written = text.slice(start, end + 1);
  if (SURROGATE.test(written) && !(JSON.parse(written) as string).isWellFormed()) {
    refuse("lone-surrogate", `${placeOf(text, start)}: a string holds a lone surrogate`, RESTORE);
  }
  if (keys === undefined) return end;
  const key = written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
  if (keys.has(key)) {
    refuse("duplicate-key", `${placeOf(text, start)}: the key ${JSON.stringify(key)} occurs twice`, RESTORE);
  }
  keys.add(key);
  return end;
}

/** Returns the offset of the last digit. */
function checkNumber(text: string, start: number, refuse: Refuse): number {
  NUMBER.lastIndex = start;
  const [token = ""] = NUMBER.exec(text) ?? [];
  const number = Number(token);
  const written = String(number);
  if (!Number.isFinite(number)) {
    refuse("number-not-finite", `${placeOf(text, start)}: ${shorten(token, 40)} is beyond a double`, RESTORE);
  }
  if (token !== written && !sameDecimal(token, written)) {
    refuse("number-inexact", `${placeOf(text, start)}: ${shorten(token, 40)} would be read as ${written}`, RESTORE);
  }
  return start + token.length - 1;
}
