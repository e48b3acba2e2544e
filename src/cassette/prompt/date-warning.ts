// Finds the time of a recording in its own prompts. Such a recording replays until midnight, or never.

import type { LlmMessage, Ports } from "../../core/index.js";
import { MONTHS, TEXT_FILTERS } from "./text-filters.js";
import { HASH_FILTER_NAMES } from "./hash-filters.js";
import { mapMessage } from "../redact/leaves.js";

const HOUR = 3_600_000;

/** Advice by the name of the filter that covers the time. */
type Advice = (filter: string) => string;

export const IN_A_TEST: Advice = (filter) => `Set hashFilter: ["${filter}"], or set the clock in the test.`;
export const IN_A_CLIENT: Advice = (filter) =>
  `Record or serve with --filter ${filter}, or give the client a fixed date for the recording and for every replay.`;

interface Prompted {
  readonly prompt?: { readonly messages: readonly LlmMessage[] } | undefined;
}

/** Warns once, at the end of a recording, since searching all prompts at each turn would be slow. */
export function createTimeWarning(ports: Pick<Ports, "now" | "warn">, advice = IN_A_TEST) {
  let isWarned = false;
  return (turns: readonly Prompted[], recordedAt: string): void => {
    if (isWarned) return;
    const prompts = turns.map(({ prompt }) => prompt?.messages ?? []);
    const found = findRecordingTime(prompts, Date.parse(recordedAt), ports.now());
    if (found === undefined) return;
    isWarned = true;
    ports.warn(
      `playhead: a recorded prompt holds the time of the recording (${found}), so a replay at another time will miss. ${advice(filterOf(found))}`,
    );
  };
}

function filterOf(time: string): string {
  return HASH_FILTER_NAMES.find((name) => TEXT_FILTERS[name].rewrite(time) !== time) ?? "date";
}

/** The first text of `prompts` that is a date or a Unix time of a recording from `start` to `end` (Unix ms). */
function findRecordingTime(prompts: Iterable<readonly LlmMessage[]>, start: number, end: number): string | undefined {
  // By time zone, the local date is that of UTC, of 12 hours before or of 14 hours after.
  const days = [...new Set([start - 12 * HOUR, start, end, end + 14 * HOUR].map(dayPattern))];
  const pattern = new RegExp(`(?<![0-9A-Za-z])(?:${days.join("|")}|[1-9][0-9]{9}(?:[0-9]{3})?)(?![0-9])`, "gi");
  const isNow = (text: string): boolean => {
    if (!/^[0-9]+$/.test(text)) return true;
    const ms = text.length === 13 ? Number(text) : Number(text) * 1_000;
    return ms >= start - 1_000 && ms <= end;
  };
  let found: string | undefined;
  const look = (text: string): string => {
    found ??= text.match(pattern)?.find(isNow);
    return text;
  };
  for (const messages of prompts) {
    for (const message of messages) {
      // The model's own text comes from the recording.
      if (message.role !== "assistant") mapMessage(message, look);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function dayPattern(time: number): string {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const two = (part: number): string => String(part).padStart(2, "0");
  const word = `${MONTHS[month] ?? ""}\\.?`;
  const th = `0?${day}(?:st|nd|rd|th)?`;
  return [
    `${year}-${two(month + 1)}-${two(day)}`,
    `${word} ${th},? ${year}`,
    `${th} (?:of )?${word},? ${year}`,
    `0?${month + 1}/0?${day}/${year}`,
    `0?${day}/0?${month + 1}/${year}`,
  ].join("|");
}
