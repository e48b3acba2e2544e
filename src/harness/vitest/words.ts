// Values and places in the words of a message: short, on one line, and with nothing in it that a terminal acts on.

import { isPlainObject } from "../../core/index.js";

const MAX_TEXT = 80;
const MAX_KEYS = 6;

/** What somebody handed in, for a sentence such as "it was given …". */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return `the text ${cutText(JSON.stringify(value))}`;
  if (typeof value === "function") return "a function";
  if (typeof value !== "object")
    return `the ${typeof value} ${(value as number | bigint | boolean | symbol).toString()}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof (value as { then?: unknown }).then === "function") return "a Promise that was not awaited";
  const keys = Object.keys(value);
  if (keys.length === 0) return "an object without keys";
  const rest = keys.length > MAX_KEYS ? ", …" : "";
  return `an object with ${cutText(keys.slice(0, MAX_KEYS).join(", "))}${rest}`;
}

/** JSON on one line, with asymmetric matchers as the runner names them: `{"city":Any<String>}`. */
export function showValue(value: unknown): string {
  if (isAsymmetric(value)) return showMatcher(value);
  if (Array.isArray(value)) return `[${value.map(showValue).join(",")}]`;
  if (isPlainObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${showValue(item)}`);
    return `{${entries.join(",")}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describeValue(value);
}

interface Asymmetric {
  asymmetricMatch(other: unknown): boolean;
  toAsymmetricMatcher?: () => string;
  readonly sample?: unknown;
}

function isAsymmetric(value: unknown): value is Asymmetric {
  return typeof (value as Partial<Asymmetric> | null | undefined)?.asymmetricMatch === "function";
}

function showMatcher(matcher: Asymmetric): string {
  const name = matcher.toAsymmetricMatcher?.() ?? (matcher as { toString(): string }).toString();
  return matcher.toAsymmetricMatcher === undefined && matcher.sample !== undefined
    ? `${name} ${showSample(matcher.sample)}`
    : name;
}

function showSample(sample: unknown): string {
  return sample instanceof RegExp ? String(sample) : showValue(sample);
}

/** At most 80 characters, never half of one, with control and direction characters as escapes. */
export function cutText(text: string): string {
  const isCut = text.length > MAX_TEXT;
  const kept = isCut ? text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, "") + "…" : text;
  return escapeInvisible(kept);
}

/** C0 and C1 controls, line separators and direction overrides, which recorded text may hold. */
function escapeInvisible(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

/** "1 turn", "2 turns". */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A path as it can be pasted behind a command. */
export function shellText(path: string): string {
  return /^[\w./@:-]+$/.test(path) ? path : JSON.stringify(path);
}
