// Values and places in the words of a message: short, on one line, and with nothing in it that a terminal acts on.

import { createSecretFinder, SECRET_RULES } from "../../cassette/index.js";
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

/** What stands deeper is not shown: recorded values have an end, those of a test may hold themselves. */
export const MAX_SHOWN_DEPTH = 100;

/** JSON on one line, with asymmetric matchers as the runner names them: `{"city":Any<String>}`. */
export function showValue(value: unknown, depth = 0): string {
  if (depth > MAX_SHOWN_DEPTH) return "…";
  if (isAsymmetric(value)) return showMatcher(value);
  if (Array.isArray(value)) return `[${value.map((item) => showValue(item, depth + 1)).join(",")}]`;
  if (isPlainObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${showValue(item, depth + 1)}`);
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

/** At most 80 characters, never half of one, without secrets, with control and direction characters as escapes. */
export function cutText(text: string, max = MAX_TEXT): string {
  // Hidden before it is cut: half a secret is none that a rule knows.
  const open = hideSecrets(text);
  const isCut = open.length > max;
  const kept = isCut ? open.slice(0, max).replace(/[\ud800-\udbff]$/, "") + "…" : open;
  return escapeInvisible(kept);
}

const findSecrets = createSecretFinder({ rules: SECRET_RULES, values: [] });

/** The text with everything that a rule knows as a secret replaced by the name of the rule. */
export function hideSecrets(text: string): string {
  const found = findSecrets(text);
  if (found.length === 0) return text;
  let [shown, from] = ["", 0];
  for (const { rule, start, end } of found) {
    shown += `${text.slice(from, start)}<hidden:${rule}>`;
    from = end;
  }
  return shown + text.slice(from);
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

/** C0 and DEL; those of C1 are more than one byte. */
const CONTROL = /[^\P{Cc}\u0080-\u009f]/gu;

/** A word as a POSIX shell reads it, to be pasted behind a command; with controls in it as §2.2.4 of POSIX.1-2024 has them, on one line. */
export function shellText(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word;
  if (word.search(CONTROL) < 0) return `'${word.replaceAll("'", `'\\''`)}'`;
  const escaped = word.replace(/[\\']/g, "\\$&").replace(CONTROL, (control) => {
    return control === "\n" ? "\\n" : `\\${(control.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`;
  });
  return `$'${escaped}'`;
}
