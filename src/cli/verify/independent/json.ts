// Reads strict JSON by JSON.parse and a check of the text, since JSON.parse hides duplicate keys, numbers that a double cannot hold, and
// lone surrogates. Shares no code with the reader of src/cassette.

const DEEPEST = 128;

/** The value of a JSON text, or its flaw. */
export type ReadJson = { value: unknown } | { flaw: string };

/** Reads the bytes of a file as the cassette format requires. Never throws. */
export function readJson(bytes: Uint8Array): ReadJson {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { flaw: "the bytes are not UTF-8" };
  }
  if (text.startsWith("\uFEFF")) return { flaw: "the text starts with a byte-order mark" };
  const bare = withoutStrings(text);
  if (depthOf(bare) > DEEPEST) return { flaw: `the text is nested deeper than ${DEEPEST} levels` };
  try {
    const value: unknown = JSON.parse(text);
    const flaw = findFlaw(value, bare);
    return flaw === undefined ? { value } : { flaw };
  } catch {
    return { flaw: "the text is not JSON" };
  }
}

function findFlaw(value: unknown, bare: string): string | undefined {
  const { keys, isWellFormed } = survey(value);
  if (!isWellFormed) return "a string contains a lone surrogate";
  // Each member of an object has one colon outside strings, and JSON.parse keeps only one of several members with the same key.
  if (bare.split(":").length - 1 !== keys) return "an object has a duplicate key";
  for (const [number] of bare.matchAll(/-?\d[\d.eE+-]*/g)) {
    const read = Number(number);
    if (!Number.isFinite(read)) return `the number ${number.slice(0, 40)} is too large for a double`;
    if (decimalOf(number) !== decimalOf(String(read))) return `the number ${number.slice(0, 40)} is read as ${read}`;
  }
  return undefined;
}

/** The text without its strings and their quotes. */
function withoutStrings(text: string): string {
  let bare = "";
  let at = 0;
  for (;;) {
    const open = text.indexOf('"', at);
    if (open < 0) return bare + text.slice(at);
    bare += text.slice(at, open) + " ";
    at = endOfString(text, open);
  }
}

/** The index after the quote that closes a string. A quote after an odd number of backslashes is part of the string. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return close + 1;
  }
  return text.length;
}

function depthOf(bare: string): number {
  let [depth, deepest] = [0, 0];
  for (const [bracket] of bare.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** The number of keys of all objects together, and whether all strings are well-formed. */
function survey(value: unknown): { keys: number; isWellFormed: boolean } {
  let keys = 0;
  let isWellFormed = true;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") isWellFormed &&= next.isWellFormed();
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) open.push(item);
      continue;
    }
    for (const [key, item] of Object.entries(next)) {
      keys++;
      isWellFormed &&= key.isWellFormed();
      open.push(item);
    }
  }
  return { keys, isWellFormed };
}

/** The digits and the power of ten of a number, without its sign. Equal for equal values. */
function decimalOf(text: string): string {
  const [mantissa = "", power = "0"] = text.replace(/^-/, "").toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}

/** An object of a parsed JSON text. */
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The items of a list. Empty for any other value. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function otherKeys(object: Fields, known: readonly string[]): string[] {
  return Object.keys(object).filter((key) => !known.includes(key));
}
