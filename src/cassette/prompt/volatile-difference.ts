// Text that changes with each run: dates, ids, paths, numbers. If nothing else differs, a miss can name the filter that helps.

import { hashJson, type LlmMessage } from "../../core/index.js";
import { HASH_FILTER_NAMES, readHashFilter, type HashFilterName } from "./hash-filters.js";
import { extensionsOf, type Cassette } from "../file/format.js";
import { mapMessage } from "../redact/leaves.js";

export interface VolatileChange {
  what: string;
  hint: string;
}

const NOUNS: Readonly<Record<HashFilterName, string>> = {
  uuid: "a UUID",
  isoDate: "a date",
  date: "a date",
  path: "a path",
  sessionId: "a session id",
};

/** From 2001 to 2286: 10 digits of seconds, or 13 of milliseconds. */
const EPOCH = /^[1-9][0-9]{9}(?:[0-9]{3})?$/;
const NUMBER = /[0-9]+(?:\.[0-9]+)?/g;

/** Undefined if the prompts differ in anything else, or not at all. `cassette` names the filters in use. */
export function findVolatileChange(
  cassette: Cassette,
  recorded: readonly LlmMessage[],
  now: readonly LlmMessage[],
): VolatileChange | undefined {
  if (recorded.length !== now.length || isEqual(recorded, now)) return undefined;
  const holds = (names: readonly HashFilterName[]): boolean =>
    isEqual(rewritten(recorded, names), rewritten(now, names));
  if (!holds(HASH_FILTER_NAMES)) return findNumberChange(recorded, now);
  const needed = HASH_FILTER_NAMES.reduce<readonly HashFilterName[]>((kept, name) => {
    const fewer = kept.filter((each) => each !== name);
    return holds(fewer) ? fewer : kept;
  }, HASH_FILTER_NAMES);
  const list = [...new Set([...filtersOf(cassette), ...needed])].map((name) =>
    name === "custom" ? "yourFilter" : `"${name}"`,
  );
  const isDate = needed.some((name) => NOUNS[name] === "a date");
  const filter = `put hashFilter: [${list.join(", ")}] into the options of the cassette, then record it again`;
  return {
    what: `the two differ only in ${[...new Set(needed.map((name) => NOUNS[name]))].join(" and ")}`,
    hint: isDate
      ? `Either set the clock to the recorded day (${SET_CLOCK}): nothing to record. Or first ${filter}.`
      : `First ${filter}.`,
  };
}

/** A single function has no name in the recording. */
function filtersOf(cassette: Cassette): readonly string[] {
  const { filtered, filters = filtered === true ? ["custom"] : [] } = extensionsOf(cassette);
  return filters;
}

const SET_CLOCK = "vi.setSystemTime in Vitest, mock.timers in node:test";

function findNumberChange(recorded: readonly LlmMessage[], now: readonly LlmMessage[]): VolatileChange | undefined {
  const [before, after] = [recorded, now].map(takeNumbers) as [Numbers, Numbers];
  if (!isEqual(before.messages, after.messages)) return undefined;
  const changed = after.numbers.filter((number, index) => number !== before.numbers[index]);
  return changed.every((number) => EPOCH.test(number))
    ? {
        what: "the two differ only in a time in seconds or milliseconds",
        hint: `Set the clock in the test (${SET_CLOCK}), or record it again with a hashFilter function that replaces the time.`,
      }
    : {
        what: "the two differ only in a number",
        hint: "If the change was not intended, undo it. If the number changes with each run, record again with a hashFilter function that replaces it.",
      };
}

interface Numbers {
  messages: readonly LlmMessage[];
  numbers: readonly string[];
}

function takeNumbers(messages: readonly LlmMessage[]): Numbers {
  const numbers: string[] = [];
  const take = (text: string): string =>
    text.replace(NUMBER, (number) => {
      numbers.push(number);
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
