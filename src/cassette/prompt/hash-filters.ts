// Hash filters by name, by pattern, and lists with functions. Idempotent. Roles, names and ids stay: results are found by them.

import { copyJson, isPlainObject, type JsonValue, type LlmMessage } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { CassetteExtensions } from "../file/format.js";
import {
  MAX_FILTER_ROUNDS,
  MAX_FILTER_TEXT,
  MAX_FILTERS,
  MAX_PATTERN_LENGTH,
  MAX_REMEMBERED_TEXTS,
} from "../limits.js";
import { mapMessage } from "../redact/leaves.js";
import { compilePattern } from "../regex/compile.js";
import type { HashFilter } from "./prompt-delta.js";
import { isFieldName, numberIn, TEXT_FILTERS, type TextFilterName } from "./text-filters.js";

/** A filter of any text in a message. `number-in:FIELD` is the number after `"FIELD":`, `FIELD=` or `FIELD`. */
export type HashFilterName = TextFilterName | `number-in:${string}`;

/** A filter of your own: each longest match of `pattern` becomes `replace` (default `<name>`). */
export interface FilterPattern {
  readonly name: string;
  /** The syntax of JavaScript with the flag `u`, without back references, look-around and `\b`: it is matched in bounded time. */
  readonly pattern: string;
  readonly replace?: string;
}

/** A filter that a cassette can note, so that a replay applies it by itself. */
export type NotedFilter = HashFilterName | FilterPattern;

/** A function, or a list of names, patterns and functions that are applied in order. */
export type HashFilterOption = HashFilter | readonly (NotedFilter | HashFilter)[];

/** The names without a parameter, in the order in which hints list them. */
export const HASH_FILTER_NAMES = Object.keys(TEXT_FILTERS) as readonly TextFilterName[];

type Rewrite = (text: string) => string;

export interface NamedFilter {
  readonly filter: HashFilter | undefined;
  /** In order, with `custom` for a function. Undefined for a single function, which has no name. */
  readonly names: readonly string[] | undefined;
  /** The same for one text. Undefined if there is a function, or nothing at all. */
  readonly rewrite?: Rewrite;
  /** The extensions by which a cassette notes them. */
  readonly noted: Pick<CassetteExtensions, "filtered" | "filters" | "filterPatterns">;
}

const NUMBER_IN = "number-in:";

interface NotedItem {
  readonly rewrite: Rewrite;
  readonly name: string;
  readonly pattern?: FilterPattern;
}
type Item = NotedItem | { readonly filter: HashFilter };

const hasRewrite = (item: Item): item is NotedItem => "rewrite" in item;

/** Reads the option `hashFilter`. Throws `invalid-options` for an unknown name and a wrong pattern. */
export function readHashFilter(option: HashFilterOption | undefined): NamedFilter {
  if (option === undefined) return { filter: undefined, names: undefined, noted: {} };
  if (typeof option === "function") return { filter: option, names: undefined, noted: { filtered: true } };
  if (!Array.isArray(option) || option.length === 0) throw invalid("hashFilter is neither a function nor a list");
  if (option.length > MAX_FILTERS) throw invalid(`hashFilter has more than the limit of ${MAX_FILTERS} filters`);
  const items = option.map((item: unknown): Item => {
    if (typeof item === "function") return { filter: item as HashFilter };
    const read = readNotedFilter(item);
    if ("flaw" in read) throw invalid(`hashFilter ${read.flaw}`);
    return read;
  });
  const steps = toSteps(items);
  const names = items.map((item) => (hasRewrite(item) ? item.name : "custom"));
  const filterPatterns = items.flatMap((item) => (hasRewrite(item) ? (item.pattern ?? []) : []));
  return {
    filter: (messages) => steps.reduce<readonly LlmMessage[]>((before, step) => step(mutable(before)), messages),
    names,
    noted: { filtered: true, filters: names, ...(filterPatterns.length === 0 ? {} : { filterPatterns }) },
    ...(items.every(hasRewrite) ? { rewrite: untilSettled(items.map(({ rewrite }) => rewrite)) } : {}),
  };
}

/** Neighbours without a function go over each text together. */
function toSteps(items: readonly Item[]): HashFilter[] {
  const steps: HashFilter[] = [];
  for (let index = 0; index < items.length;) {
    const item = items[index] as Item;
    if ("filter" in item) {
      steps.push(item.filter);
      index++;
      continue;
    }
    const rewrites: Rewrite[] = [];
    for (let next = items[index]; next !== undefined && hasRewrite(next); next = items[++index]) {
      rewrites.push(next.rewrite);
    }
    const rewrite = untilSettled(rewrites);
    steps.push((messages) => messages.map((message) => mapMessage(message, rewrite)));
  }
  return steps;
}

/** Again until nothing changes, so that one filter may make the text of another. */
function untilSettled(rewrites: readonly Rewrite[]): Rewrite {
  return (text) => {
    let before = text;
    for (let round = 0; round < MAX_FILTER_ROUNDS; round++) {
      const after = rewrites.reduce((rewritten, rewrite) => rewrite(rewritten), before);
      if (after === before) return after;
      before = after;
    }
    return before;
  };
}

/** Reads one filter that has a name. `at` is the JSON pointer of the flaw inside it. */
export function readNotedFilter(item: unknown): NotedItem | { flaw: string; at: string } {
  if (typeof item === "string") {
    if (Object.hasOwn(TEXT_FILTERS, item)) return { name: item, rewrite: TEXT_FILTERS[item as TextFilterName].rewrite };
    const field = item.startsWith(NUMBER_IN) ? item.slice(NUMBER_IN.length) : "";
    if (field.length <= MAX_FILTER_TEXT && isFieldName(field)) return { name: item, rewrite: numberIn(field).rewrite };
  }
  if (isPlainObject(item)) return readPattern(item);
  return { flaw: `names ${JSON.stringify(item) ?? "nothing"}, which is not a filter`, at: "" };
}

function readPattern(item: Record<string, unknown>): ReturnType<typeof readNotedFilter> {
  const unknown = Object.keys(item).find((key) => !["name", "pattern", "replace"].includes(key));
  if (unknown !== undefined) return { flaw: `has the unknown field ${JSON.stringify(unknown)}`, at: `/${unknown}` };
  const { name, pattern, replace = `<${String(name)}>` } = item;
  if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_-]{0,59}$/.test(name)) {
    return { flaw: "has a pattern whose name is not a word of at most 60 letters, digits, _ and -", at: "/name" };
  }
  if (name === "custom" || Object.hasOwn(TEXT_FILTERS, name)) {
    return { flaw: `has a pattern with the name ${name}, which is already taken`, at: "/name" };
  }
  if (typeof replace !== "string" || replace.length > MAX_FILTER_TEXT) {
    return {
      flaw: `has the pattern ${name}, whose replace is not a text of at most ${MAX_FILTER_TEXT} characters`,
      at: "/replace",
    };
  }
  if (typeof pattern !== "string" || pattern === "" || Array.from(pattern).length > MAX_PATTERN_LENGTH) {
    return {
      flaw: `has the pattern ${name}, which is not a text of 1 to ${MAX_PATTERN_LENGTH} characters`,
      at: "/pattern",
    };
  }
  const compiled = compilePattern(pattern);
  if (compiled.kind === "refused") {
    return { flaw: `has the pattern ${name}, which cannot be used: ${compiled.reason}`, at: "/pattern" };
  }
  if (compiled.replace(replace, replace) !== replace) {
    return { flaw: `has the pattern ${name}, which changes its own replacement again`, at: "/replace" };
  }
  const rewrite = remembered((text) => compiled.replace(text, replace));
  return { name, rewrite, pattern: { name, pattern, replace } };
}

/** Prompts repeat their texts at every turn. */
function remembered(rewrite: Rewrite): Rewrite {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const after = rewrite(text);
    if (known.size >= MAX_REMEMBERED_TEXTS) known.clear();
    known.set(text, after);
    return after;
  };
}

function mutable(messages: readonly LlmMessage[]): LlmMessage[] {
  return copyJson(messages as unknown as JsonValue) as unknown as LlmMessage[];
}

export const FILTER_HINT =
  `Pass a function, or a list of functions and of ${HASH_FILTER_NAMES.join(", ")}. ` +
  "A list may also have number-in:FIELD and { name, pattern, replace }.";

function invalid(what: string): CassetteError {
  return new CassetteError("invalid-options", what, { hint: FILTER_HINT });
}
