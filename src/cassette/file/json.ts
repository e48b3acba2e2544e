// Strict JSON text (RFC 8259): refuses a byte-order mark, duplicate keys, inexact numbers, lone surrogates, deep nesting, large files.

import * as jsonc from "jsonc-parser";
import { defined, findTooDeep, MAX_JSON_DEPTH, sameDecimal, shorten, toVisible } from "../../core/index.js";
import { CassetteError, type LoadErrorCode } from "../errors.js";
import { DEFAULT_MAX_FILE_BYTES } from "../limits.js";
import { isTooHeavy } from "./memory-estimate.js";

// The package's const enum cannot be read by isolated modules. At run time it is an object.
const TOKEN = jsonc as unknown as { SyntaxKind: Record<keyof typeof jsonc.SyntaxKind, number> };
const KIND = TOKEN.SyntaxKind;

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
  const text = typeof input === "string" ? input : decode(input, refuse);
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

function decode(bytes: Uint8Array, refuse: Refuse): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse("not-utf8", "the file is not UTF-8", RESTORE);
  }
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

interface Level {
  /** The keys so far of an object; undefined for an array. */
  keys: Set<string> | undefined;
  expectsKey: boolean;
}

/** Checks the tokens of a text that is known to be JSON. */
function scan(text: string, refuse: Refuse): void {
  const scanner = jsonc.createScanner(text, true);
  const levels: Level[] = [];
  for (let token: number = scanner.scan(); token !== KIND.EOF; token = scanner.scan()) {
    const top = levels.at(-1);
    switch (token) {
      case KIND.OpenBraceToken:
        levels.push({ keys: new Set(), expectsKey: true });
        break;
      case KIND.OpenBracketToken:
        levels.push({ keys: undefined, expectsKey: false });
        break;
      case KIND.CloseBraceToken:
      case KIND.CloseBracketToken:
        levels.pop();
        break;
      case KIND.CommaToken:
        if (top !== undefined) top.expectsKey = top.keys !== undefined;
        break;
      case KIND.ColonToken:
        if (top !== undefined) top.expectsKey = false;
        break;
      case KIND.StringLiteral:
        checkString(scanner, top, refuse);
        break;
      case KIND.NumericLiteral:
        checkNumber(scanner, refuse);
        break;
      default:
    }
  }
}

function checkString(scanner: jsonc.JSONScanner, top: Level | undefined, refuse: Refuse): void {
  const value = scanner.getTokenValue();
  if (!value.isWellFormed()) refuse("lone-surrogate", `${at(scanner)}: a string holds a lone surrogate`, RESTORE);
  if (top?.keys === undefined || !top.expectsKey) return;
  if (top.keys.has(value)) {
    refuse("duplicate-key", `${at(scanner)}: the key ${JSON.stringify(value)} occurs twice`, RESTORE);
  }
  top.keys.add(value);
}

function checkNumber(scanner: jsonc.JSONScanner, refuse: Refuse): void {
  const text = scanner.getTokenValue();
  const number = Number(text);
  const written = String(number);
  if (text === written) return;
  if (!Number.isFinite(number)) {
    refuse("number-not-finite", `${at(scanner)}: ${shorten(text, 40)} is beyond a double`, RESTORE);
  }
  if (!sameDecimal(text, written)) {
    refuse("number-inexact", `${at(scanner)}: ${shorten(text, 40)} would be read as ${written}`, RESTORE);
  }
}

function at(scanner: jsonc.JSONScanner): string {
  return `line ${scanner.getTokenStartLine() + 1}, column ${scanner.getTokenStartCharacter() + 1}`;
}
