// The texts that each named filter rewrites. Every rewrite is idempotent, and no filter matches the markers of another one.

import { MAX_FILTER_TEXT } from "../limits.js";

/** Names of the filters that need no parameter, in the order in which hints list them. */
export type TextFilterName =
  "uuid" | "isoDate" | "date" | "time" | "unixTime" | "duration" | "path" | "version" | "sessionId";

export interface TextFilter {
  /** The text in the words of a report. */
  readonly noun: string;
  readonly rewrite: (text: string) => string;
}

/** English names of months in order, short or long. */
export const MONTHS = [
  "Jan(?:uary)?",
  "Feb(?:ruary)?",
  "Mar(?:ch)?",
  "Apr(?:il)?",
  "May",
  "June?",
  "July?",
  "Aug(?:ust)?",
  "Sept?(?:ember)?",
  "Oct(?:ober)?",
  "Nov(?:ember)?",
  "Dec(?:ember)?",
] as const;

/** Where a word begins: also after an escape in JSON inside a text (`\n`), and after the colour of a terminal. */
const WORD = "(?:(?<![0-9A-Za-z])|(?<=\\\\[nrt])|(?<=\\u001b\\[[0-9;]{0,20}m))";
const END = "(?![0-9A-Za-z])";

const MONTH = `(?:${MONTHS.join("|")})\\.?`;
const WEEKDAY = "(?:Mon|Tue(?:s)?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? ";
const DAY = "[0-3]?[0-9](?:st|nd|rd|th)?";
const ZONE = "(?:GMT|UTC)(?:[+-][0-9]{2}:?[0-9]{2})?(?: \\([A-Za-z ]{1,60}\\))?";
const CLOCK = "[0-2]?[0-9]:[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]{1,9})?)?(?:\\s?[AP]\\.?M\\b\\.?)?";
const TIME = `,?(?: at)? [0-2]?[0-9]:[0-5][0-9](?::[0-6][0-9])?(?:\\s[AP]M)?(?: ${ZONE})?`;
const SHELL_ZONE = "(?:UTC|GMT|BST|MSK|IST|JST|KST|AE[SD]T|[CEW]ES?T|[ACEMP][SD]T)";
/** `Sun Nov 22 09:30:15 UTC 2026` of `date`, `Nov 22 09:30` of `ls -l`, `Sun Nov 22 09:30:15 2026 +0100` of `git log`. */
const OF_A_SHELL = `${MONTH} {1,2}[0-3]?[0-9] {1,2}${CLOCK}(?: ${SHELL_ZONE}(?![A-Z]))?(?: (?:19|20)[0-9]{2})?(?: [+-][0-9]{4})?`;
/** Dates as `Date`, `Intl` and commands write them in English: `November 22, 2026`, `11/22/2026, 9:30 AM`, `Sunday, November 22`. */
const DATE =
  `${WORD}(?:(?:${WEEKDAY})?(?:${OF_A_SHELL}|(?:${MONTH} ${DAY},? [0-9]{4}|${DAY} (?:of )?${MONTH},? [0-9]{4}|${MONTH},? (?:19|20)[0-9]{2}|` +
  `[0-3]?[0-9]/[0-3]?[0-9]/[0-9]{4})(?:${TIME})?)|${WEEKDAY}(?:${MONTH} ${DAY}|${DAY} (?:of )?${MONTH}))${END}`;

const AGO = "(?:[0-9]{1,6}|an?|one) (?:second|minute|hour|day|week|month|year)s? ago";
const UNIT =
  "(?:[smhd]|\\s?(?:ns|µs|us|ms|secs?|mins?|hrs?|(?:nano|micro|milli)?seconds?|minutes?|hours?|days?))(?![A-Za-z])";
const AMOUNT = `[0-9]{1,12}(?:[.,][0-9]{1,9})?${UNIT}`;

/** A letter, digit or sign of a file's name, or the marker of another filter. */
const LETTER = "(?:[\\p{L}\\p{M}\\p{N}_.@+~-]|<(?:uuid|date|time|duration|version|id|number)>)";
const NAME = `${LETTER}{1,200}`;
/** A user's folder on Windows, whose name may hold spaces. */
const windows = (slash: string): string =>
  `[A-Za-z]:${slash}(?:Users${slash}[^\\\\/:*?"<>|\\r\\n]{1,60}${slash})?(?:${NAME}${slash}){0,60}${LETTER}{0,200}`;
/** Folders of containers and temporary files, which stand alone. */
const ROOT = "/(?:tmp|root|home|Users|app|workspaces?|repo|project|code)(?![\\p{L}\\p{N}_/-]|\\.[\\p{L}\\p{N}])";
/** An opening tag, as in `<cwd>/home/ann</cwd>`. It never matches a marker, except for one name that both use, with its closing tag. */
const TAG =
  "(?<=<(?!(?:uuid|date|time|duration|version|id|number|path)>)[A-Za-z][\\w:.-]{0,60}>)|" +
  "(?<=<path>)(?=[^<>]{1,1000}</path>)";
const PATH =
  `(?:(?<![\\p{L}\\p{N}_./<>\\\\-])|(?<=\\\\[nrt])|(?<=\\u001b\\[[0-9;]{0,20}m)|${TAG})` +
  `(?:file://(?:localhost)?/(?:[A-Za-z]:/)?(?:${NAME}/){0,60}${LETTER}{0,200}|${windows("\\\\\\\\")}|${windows("[\\\\/]")}|` +
  `~/(?:${NAME}/){0,60}${NAME}|/(?:${NAME}/){1,60}${LETTER}{0,200}|${ROOT})`;
/** The rest of a path in which another filter of an earlier version left a marker. */
const REST = `<path>(?:<(?:uuid|date|id)>[\\p{L}\\p{N}_.@+/~-]{0,200}){1,20}`;

/** Programs whose versions have two numbers. */
const PROGRAM =
  "Python|npm|pnpm|yarn|bun|deno|git|Debian|Alpine|Fedora|macOS|Mac OS X|Darwin|Linux|Ruby|Go|Java|OpenJDK|Rust|rustc|cargo|GCC|Clang|" +
  "PHP|Docker|Chrome|Firefox|Safari";
/** Words before a version that may have only one number. */
const VERSION_WORD = "version|release|Node(?:\\.js)?|Ubuntu|Windows(?: NT| Server)?";
const TAIL = "(?:[-+][0-9A-Za-z.+-]{1,60})?";
const VERSIONS = [
  // Three numbers, or four that are not an address.
  [
    `(?<![0-9A-Za-z.<])(?!(?:[0-9]{1,3}\\.){3}[0-9]{1,3}(?![0-9.]))v?[0-9]{1,6}(?:\\.[0-9]{1,8}){2,3}${TAIL}${END}`,
    "<version>",
  ],
  [`(?<![0-9A-Za-z./<-])v[0-9]{1,4}(?:\\.[0-9]{1,4})?(?!\\.?[0-9A-Za-z])`, "<version>"],
  [
    `(?<![0-9A-Za-z./<-])((?:${PROGRAM})["'\\s/:=@]{1,4}v?)[0-9]{1,8}(?:\\.[0-9]{1,8}){1,3}${TAIL}${END}`,
    "$1<version>",
  ],
  [
    `(?<![0-9A-Za-z./<-])((?:${VERSION_WORD})["'\\s/:=@]{1,4}v?)[0-9]{1,8}(?:\\.[0-9]{1,8}){0,3}${TAIL}${END}`,
    "$1<version>",
  ],
  [`(?<![0-9A-Za-z./<-])(build["'\\s/:=@#]{1,4})[0-9]{3,12}(?:\\.[0-9]{1,8}){0,3}${END}`, "$1<version>"],
] as const;

/** Compiled at its first use, since most recordings use no filter. A pattern takes up to 3 ms. */
function pattern(source: string, flags: string): () => RegExp {
  let compiled: RegExp | undefined;
  return () => (compiled ??= new RegExp(source, flags));
}

function replaceBy(...all: readonly (readonly [source: string, replacement: string, flags?: string])[]) {
  const steps = all.map(([source, replacement, flags = "g"]) => [pattern(source, flags), replacement] as const);
  return (text: string): string =>
    steps.reduce((rewritten, [find, replacement]) => rewritten.replace(find(), replacement), text);
}

export const TEXT_FILTERS: Readonly<Record<TextFilterName, TextFilter>> = {
  uuid: {
    noun: "a UUID",
    rewrite: replaceBy([`${WORD}[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}${END}`, "<uuid>"]),
  },
  isoDate: {
    noun: "a date",
    rewrite: replaceBy([
      `${WORD}[0-9]{4}-[0-1][0-9]-[0-3][0-9](?:[T ][0-2][0-9]:[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?${END}`,
      "<date>",
    ]),
  },
  date: { noun: "a date", rewrite: replaceBy([DATE, "<date>", "gi"]) },
  time: {
    noun: "a time of day",
    rewrite: replaceBy([`(?<![.:])${WORD}(?:${CLOCK}(?:Z| ${ZONE})?|${AGO})(?![0-9A-Za-z:])`, "<time>", "gi"]),
  },
  unixTime: {
    noun: "a time in seconds or milliseconds",
    rewrite: replaceBy([`(?<![.+-])${WORD}1[0-9]{9}(?:[0-9]{3})?(?:\\.[0-9]{1,9})?${END}`, "<time>"]),
  },
  duration: {
    noun: "a duration",
    rewrite: replaceBy([`(?<![.,:+-])${WORD}${AMOUNT}(?: ?${AMOUNT}){0,5}${END}`, "<duration>"]),
  },
  path: { noun: "a path", rewrite: replaceBy([REST, "<path>", "gu"], [PATH, "<path>", "gu"]) },
  version: {
    noun: "a version",
    rewrite: replaceBy(...VERSIONS.map(([source, by]) => [source, by, "gi"] as const)),
  },
  sessionId: {
    noun: "a session id",
    rewrite: replaceBy([
      `(?<![A-Za-z0-9])(session(?:[_-]?id)?["']?\\s{0,3}[:=]\\s{0,3}["']?)[A-Za-z0-9_-]{1,200}`,
      "$1<id>",
      "gi",
    ]),
  },
};

/** The paths in a text, as the filter `path` finds them. */
export function pathsIn(text: string): string[] {
  return [...text.matchAll(findPath())].map(([path]) => path);
}

const findPath = pattern(PATH, "gu");

/** Between a field and its number: `"ms": 1`, `\"ms\":1`, `ms=1`, `Duration  1`. */
const BEFORE_NUMBER = `(?:\\\\{0,3}["'])?(?:\\s{0,8}[:=]\\s{0,8}|\\s{1,8})(?:\\\\{0,3}["'])?`;
const NUMBER = "-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?";
const FIELD = /^[\p{L}_$][\p{L}\p{N}_$. -]*$/u;

export function isFieldName(field: string): boolean {
  return FIELD.test(field);
}

/** Replaces the number that follows the field's name. */
export function numberIn(field: string): TextFilter {
  const name = field.replace(/[.$]/g, "\\$&");
  return {
    noun: "a number",
    rewrite: replaceBy([`(?<![\\p{L}\\p{N}_])(${name}${BEFORE_NUMBER})${NUMBER}`, "$1<number>", "gu"]),
  };
}

const FIELD_WORD = "[\\p{L}_$][\\p{L}\\p{N}_$.-]{0,99}";
const AFTER_FIELD = `(?:\\\\{0,3}["'])?\\s{0,8}[:=]\\s{0,8}(?:\\\\{0,3}["'])?-?$`;
const findFieldBefore = pattern(`(${FIELD_WORD})${AFTER_FIELD}`, "u");
/** A name of several words stands at the beginning of a line, in quotes, or after a sign. */
const findWordsBefore = pattern(
  `(?:^|["'\\n,;({\\[>|]|\\\\n)\\s{0,8}(?:[-*] )?(${FIELD_WORD}(?: ${FIELD_WORD}){1,4})${AFTER_FIELD}`,
  "u",
);
/** Characters of a field's name with its signs. */
const LONGEST_FIELD = 130;

/** The name of the field whose number begins at `at`. */
export function fieldBefore(text: string, at: number): string | undefined {
  const isCut = at > LONGEST_FIELD;
  const before = (isCut ? "…" : "") + text.slice(isCut ? at - LONGEST_FIELD : 0, at);
  const field = (findWordsBefore().exec(before) ?? findFieldBefore().exec(before))?.[1];
  // No filter accepts a longer name.
  return field === undefined || field.length > MAX_FILTER_TEXT ? undefined : field;
}
