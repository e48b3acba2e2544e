// Values and places in the words of a message: short, on one line, and with nothing in it that a terminal acts on.

import { createSecretFinder, SECRET_RULES } from "../../cassette/index.js";
import { isPlainObject, toVisible } from "../../core/index.js";

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

/** Of more values than these only the first are looked at: one that holds itself twice has no end in its breadth either. */
const MAX_SHOWN_VALUES = 10_000;

/** JSON on one line, with asymmetric matchers as the runner names them: `{"city":Any<String>}`. */
export function showValue(value: unknown): string {
  return showWithin(value, 0, { left: MAX_SHOWN_VALUES });
}

function showWithin(value: unknown, depth: number, room: { left: number }): string {
  if (depth > MAX_SHOWN_DEPTH || room.left-- <= 0) return "…";
  const show = (item: unknown): string => showWithin(item, depth + 1, room);
  if (isAsymmetric(value)) return showMatcher(value, show);
  if (Array.isArray(value)) return `[${value.map(show).join(",")}]`;
  if (isPlainObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${show(item)}`);
    return `{${entries.join(",")}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  if (Object.is(value, -0)) return "-0";
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

function showMatcher(matcher: Asymmetric, show: (value: unknown) => string): string {
  const { toAsymmetricMatcher, toString, sample } = matcher as Partial<Record<keyof Asymmetric | "toString", unknown>>;
  if (typeof toAsymmetricMatcher === "function") return `${matcher.toAsymmetricMatcher?.()}`;
  const name = typeof toString === "function" ? `${toString.call(matcher)}` : "a matcher of one's own";
  if (sample === undefined) return name;
  return `${name} ${sample instanceof RegExp ? String(sample) : show(sample)}`;
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

/** The same for a text of several lines; tabs stay as well. */
export function escapeLines(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : escapeInvisible(part)))
    .join("");
}

/** "1 turn", "2 turns". */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * A word as a POSIX shell reads it, to be pasted behind a command. What a terminal acts on or does not show is written by `printf`,
 * on one line: not every `sh` knows `$'…'`. Line breaks at the very end are lost, as in every `$(…)`.
 */
export function shellText(word: string): string {
  if (/^[\w./:@%+,-][\w./:@%+=,-]*$/.test(word)) return word;
  if (toVisible(word) === word) return `'${quoted(word)}'`;
  // "!" is an interactive shell's own between double quotes, whatever stands within them.
  const written = Array.from(word, (character) =>
    character === "\\" || character === "!" || toVisible(character) !== character ? toOctal(character) : character,
  );
  return `"$(printf %b '${quoted(written.join(""))}')"`;
}

function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

/** As `%b` of `printf` reads it. */
function toOctal(character: string): string {
  return Array.from(new TextEncoder().encode(character), (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
}

/** The same for the path of a file, which no command takes for an option. */
export function shellPath(path: string): string {
  return shellText(path.startsWith("-") ? `./${path}` : path);
}
