// Ready-made hash filters by name, and lists with functions. Idempotent. Roles, names and ids stay: results are found by them.

import { copyJson, defined, hashJson, type JsonValue, type LlmMessage } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { Cassette } from "../file/format.js";
import type { HashFilter } from "./prompt-hash.js";
import { mapMessage } from "../redact/leaves.js";

/** `uuid`, `isoDate`, `date` (in English words, or with slashes), `path` and `sessionId` of any text in a message. */
export type HashFilterName = "uuid" | "isoDate" | "date" | "path" | "sessionId";

/** A function, or a list of names and functions that are applied in order. */
export type HashFilterOption = HashFilter | readonly (HashFilterName | HashFilter)[];

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

const MONTH = `(?:${MONTHS.join("|")})\\.?`;
const WEEKDAY = "(?:Mon|Tue(?:s)?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? ";
const DAY = "[0-3]?[0-9](?:st|nd|rd|th)?";
const ZONE = "(?:GMT|UTC)(?:[+-][0-9]{2}:?[0-9]{2})?(?: \\([A-Za-z ]{1,60}\\))?";
const TIME = `,?(?: at)? [0-2]?[0-9]:[0-5][0-9](?::[0-6][0-9])?(?:\\s[AP]M)?(?: ${ZONE})?`;
/** Dates as `Date` and `Intl` write them in English: `Sun Nov 22 2026 09:30:15 GMT+0000`, `November 22, 2026`, `11/22/2026, 9:30 AM`. */
const DATE = new RegExp(
  `(?<![0-9A-Za-z])(?:${WEEKDAY})?(?:${MONTH} ${DAY},? [0-9]{4}|${DAY} (?:of )?${MONTH},? [0-9]{4}|` +
    `[0-3]?[0-9]/[0-3]?[0-9]/[0-9]{4})(?:${TIME})?(?![0-9A-Za-z])`,
  "gi",
);

const REWRITES: Readonly<Record<HashFilterName, (text: string) => string>> = {
  uuid: (text) =>
    text.replace(/(?<![0-9A-Za-z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z])/g, "<uuid>"),
  isoDate: (text) =>
    text.replace(
      /(?<![0-9A-Za-z])[0-9]{4}-[0-1][0-9]-[0-3][0-9](?:[T ][0-2][0-9]:[0-5][0-9](?::[0-6][0-9](?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?(?![0-9A-Za-z])/g,
      "<date>",
    ),
  date: (text) => text.replace(DATE, "<date>"),
  path: (text) =>
    text.replace(/(?<![\w.:/<>\\-])(?:[A-Za-z]:[\\/]|\/)(?:[\w.@+-]{1,200}[\\/]){1,60}[\w.@+-]{0,200}/g, "<path>"),
  sessionId: (text) =>
    text.replace(/(?<![A-Za-z0-9])(session(?:[_-]?id)?["']?\s{0,3}[:=]\s{0,3}["']?)[A-Za-z0-9_-]{1,200}/gi, "$1<id>"),
};

/** Every filter name, in the order in which hints list them. */
export const HASH_FILTER_NAMES = Object.keys(REWRITES) as readonly HashFilterName[];

export interface NamedFilter {
  readonly filter: HashFilter | undefined;
  /** In order, with `custom` for a function. Undefined for a single function, which has no name. */
  readonly names: readonly string[] | undefined;
}

/** Reads the option `hashFilter`. Throws `invalid-options` for an unknown name. */
export function readHashFilter(option: HashFilterOption | undefined): NamedFilter {
  if (option === undefined || typeof option === "function") return { filter: option, names: undefined };
  if (!Array.isArray(option) || option.length === 0) throw invalid("hashFilter is neither a function nor a list");
  const filters = option.map((item: unknown) => {
    if (typeof item === "function") return item as HashFilter;
    if (typeof item === "string" && Object.hasOwn(REWRITES, item)) return named(item as HashFilterName);
    throw invalid(`hashFilter names ${JSON.stringify(item) ?? "nothing"}, which is not a filter`);
  });
  return {
    filter: (messages) => filters.reduce<readonly LlmMessage[]>((before, filter) => filter(mutable(before)), messages),
    names: option.map((item: unknown) => (typeof item === "string" ? item : "custom")),
  };
}

function named(name: HashFilterName): HashFilter {
  return (messages) => messages.map((message) => mapMessage(message, REWRITES[name]));
}

function mutable(messages: readonly LlmMessage[]): LlmMessage[] {
  return copyJson(messages as unknown as JsonValue) as unknown as LlmMessage[];
}

function invalid(what: string): CassetteError {
  return new CassetteError("invalid-options", what, {
    hint: `Pass a function, or a list of functions and of ${HASH_FILTER_NAMES.join(", ")}.`,
  });
}

/** Refuses a filter on one side only, which would miss every prompt it changes, or hide a difference. */
export function assertSameFilter(recording: Cassette, { filter, names }: NamedFilter, file: string | undefined): void {
  if (recording.version === 1) return;
  const { filtered, filters } = recording.extensions ?? {};
  const [recorded, now] = [filtered === true, filter !== undefined];
  // Older recordings do not name their filters.
  const isSame = hashJson(filters ?? null) === hashJson(names ?? null);
  if (recorded === now && isSame) return;
  const listed = (list: unknown): string => (Array.isArray(list) ? ` (${list.join(", ")})` : "");
  throw new CassetteError(
    "filter-one-sided",
    recorded && now
      ? `the cassette was recorded with another hashFilter${listed(filters)} than it is replayed with${listed(names)}`
      : recorded
        ? `the cassette was recorded with a hashFilter${listed(filters)} and is replayed without one`
        : `the cassette was recorded without a hashFilter and is replayed with one${listed(names)}`,
    {
      hint: "Pass the same hashFilter where it is recorded and where it is replayed, or record again.",
      ...defined({ file }),
    },
  );
}
