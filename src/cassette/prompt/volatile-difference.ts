// Text that changes with each run: dates, ids, paths, numbers. If nothing else differs, a miss can name the filter that helps.

import { hashJson, type LlmMessage } from "../../core/index.js";
import { extensionsOf, type Cassette } from "../file/format.js";
import { mapMessage } from "../redact/leaves.js";
import { HASH_FILTER_NAMES, readHashFilter, type HashFilterName } from "./hash-filters.js";
import { fieldBefore, TEXT_FILTERS, type TextFilterName } from "./text-filters.js";

export interface VolatileChange {
  what: string;
  hint: string;
  /** The filters by which the two prompts are the same, with those in use. */
  filters?: string[];
}

const NUMBER = /[0-9]+(?:\.[0-9]+)?/g;
const A_NUMBER = "a number";
const nounOf = (name: HashFilterName): string => TEXT_FILTERS[name as TextFilterName]?.noun ?? A_NUMBER;

/** Undefined if the prompts differ in anything else, or not at all. `cassette` names the filters in use. */
export function findVolatileChange(
  cassette: Cassette,
  recorded: readonly LlmMessage[],
  now: readonly LlmMessage[],
): VolatileChange | undefined {
  if (recorded.length !== now.length || isEqual(recorded, now)) return undefined;
  const holds = (names: readonly HashFilterName[]): boolean =>
    isEqual(rewritten(recorded, names), rewritten(now, names));
  const fields = holds(HASH_FILTER_NAMES) ? [] : findFields(recorded, now);
  if (fields === undefined) return findNumberChange(recorded, now);
  const candidates: readonly HashFilterName[] = [...HASH_FILTER_NAMES, ...fields];
  // A number may follow what only looks like the name of a field.
  if (!holds(candidates)) return findNumberChange(recorded, now);
  const needed = candidates.reduceRight<readonly HashFilterName[]>((kept, name) => {
    const fewer = kept.filter((each) => each !== name);
    return holds(fewer) ? fewer : kept;
  }, candidates);
  return describe([...new Set([...filtersOf(cassette), ...needed])], needed);
}

function describe(all: readonly string[], needed: readonly HashFilterName[]): VolatileChange {
  const nouns = [...new Set(needed.map(nounOf))];
  const hasFunction = all.includes("custom");
  const list = all.map((name) => (isKnown(name) ? JSON.stringify(name) : "yourFilter"));
  const option = `put hashFilter: [${list.join(", ")}] into the options of the cassette`;
  const filter = hasFunction ? `first ${option}, then record it again.` : `${option}. The recording stays as it is.`;
  const isTime = needed.some((name) => CLOCKS.includes(name));
  const either = isTime
    ? `Either set the clock to the recorded day (${SET_CLOCK}): nothing to record. Or`
    : nouns.includes(A_NUMBER)
      ? "If the change was not intended, undo it. If the number changes with each run,"
      : "";
  return {
    what: `the two differ only in ${nouns.join(" and ")}`,
    hint: either === "" ? filter.charAt(0).toUpperCase() + filter.slice(1) : `${either} ${filter}`,
    ...(hasFunction ? {} : { filters: all.filter(isKnown) }),
  };
}

/** Filters of texts that a test can set by its clock. */
const CLOCKS: readonly HashFilterName[] = ["isoDate", "date", "time", "unixTime"];

function isKnown(name: string): boolean {
  return Object.hasOwn(TEXT_FILTERS, name) || name.startsWith("number-in:");
}

/** A single function has no name in the recording. */
function filtersOf(cassette: Cassette): readonly string[] {
  const { filtered, filters = filtered === true ? ["custom"] : [] } = extensionsOf(cassette);
  return filters;
}

const SET_CLOCK = "vi.setSystemTime in Vitest, mock.timers in node:test";

/** Filters of the fields whose numbers differ, if nothing else does. Undefined if a number has no field. */
function findFields(recorded: readonly LlmMessage[], now: readonly LlmMessage[]): HashFilterName[] | undefined {
  const [before, after] = [recorded, now].map((side) => takeNumbers(rewritten(side, HASH_FILTER_NAMES)));
  if (before === undefined || after === undefined || !isEqual(before.messages, after.messages)) return undefined;
  const fields = after.numbers.flatMap(({ number, field }, index) =>
    number === before.numbers[index]?.number ? [] : [field],
  );
  return fields.includes(undefined)
    ? undefined
    : [...new Set(fields.map((field): HashFilterName => `number-in:${field ?? ""}`))];
}

function findNumberChange(recorded: readonly LlmMessage[], now: readonly LlmMessage[]): VolatileChange | undefined {
  const [before, after] = [recorded, now].map(takeNumbers) as [Numbers, Numbers];
  if (!isEqual(before.messages, after.messages)) return undefined;
  return {
    what: `the two differ only in ${A_NUMBER}`,
    hint: "If the change was not intended, undo it. If the number changes with each run, use a filter with a pattern, or record again with a hashFilter function that replaces it.",
  };
}

interface Numbers {
  messages: readonly LlmMessage[];
  numbers: readonly { number: string; field: string | undefined }[];
}

function takeNumbers(messages: readonly LlmMessage[]): Numbers {
  const numbers: { number: string; field: string | undefined }[] = [];
  const take = (text: string): string =>
    text.replace(NUMBER, (number, at: number) => {
      numbers.push({ number, field: fieldBefore(text, at) });
      return "<number>";
    });
  return { messages: messages.map((message) => mapMessage(message, take)), numbers };
}

function rewritten(messages: readonly LlmMessage[], names: readonly HashFilterName[]): readonly LlmMessage[] {
  return names.length === 0 ? messages : (readHashFilter(names).filter?.([...messages]) ?? messages);
}

function isEqual(a: readonly LlmMessage[], b: readonly LlmMessage[]): boolean {
  return hashJson(a) === hashJson(b);
}
