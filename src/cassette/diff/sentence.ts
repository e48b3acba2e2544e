// A drift as one plain sentence on one line. Long values are cut around the place where they begin to differ.

import { canonicalize, plural, toVisible, type JsonValue } from "../../core/index.js";
import { nameText } from "../offer/named.js";
import type { DriftFact } from "./drift.js";
import type { ValueChange } from "../prompt/json-difference.js";

const SHOWN_CHARACTERS = 80;
/** What is kept of the common beginning when two values are cut. */
const LEAD = 12;
const SHOWN_CHANGES = 3;
const SHOWN_NAMES = 6;
/** What ends what begins with the key, in JSON. */
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["{", "}"],
  ["[", "]"],
]);

type WithoutPointers<F> = F extends unknown ? Omit<F, "oldPointer" | "newPointer"> : never;

type Sayable = WithoutPointers<DriftFact>;

/** One sentence for a reviewer. Control and direction characters in recorded text are written as escapes. */
export function sentenceOf(drift: Sayable): string {
  switch (drift.kind) {
    case "added":
      return `${callText(drift)} was added at turn ${drift.newTurn}.`;
    case "removed":
      return `${callText(drift)} was removed; the old run made this call at turn ${drift.oldTurn}.`;
    case "moved":
      return drift.oldTurn === drift.newTurn
        ? `${callText(drift)} stayed at turn ${drift.newTurn} but changed places with other calls.`
        : `${callText(drift)} moved from turn ${drift.oldTurn} to turn ${drift.newTurn}.`;
    case "args-changed":
      return `${nameText(drift.tool)} was called with other arguments ${turnText(drift)}: ${endSentence(changesText(drift.changes))}`;
    case "retried":
      return `${callText(drift)} was made once more at turn ${drift.newTurn}, right next to the same call.`;
    case "parallelised":
      return `${toolsText(drift.tools)} together at turn ${drift.newTurn}; the old run made these calls one after another, at ${turnsText(drift.oldTurns)}.`;
    case "serialised":
      return `${toolsText(drift.tools)} one after another, at ${turnsText(drift.newTurns)}; the old run made these calls together at turn ${drift.oldTurn}.`;
    case "stop-changed":
      return `The model ended ${turnText(drift).slice("at ".length)} with ${quote(drift.new, 0)}; it was ${quote(drift.old, 0)}.`;
    case "content-changed": {
      const [old, now] = cutPair(drift.old, drift.new);
      return `The assistant's text changed ${turnText(drift)}: it was ${old} and is ${endSentence(now)}`;
    }
    case "content-added":
      return `The assistant's text ${cut(drift.new)} was added at turn ${drift.newTurn}.`;
    case "content-removed":
      return `The assistant's text ${cut(drift.old)} was removed; it stood at turn ${drift.oldTurn} of the old run.`;
  }
}

/** A quotation that ends with a stop ends the sentence, too. */
function endSentence(words: string): string {
  return words.endsWith('."') ? words : `${words}.`;
}

function callText(call: Extract<Sayable, { kind: "added" | "removed" | "moved" | "retried" }>): string {
  return `${nameText(call.tool)}(${cut(call.malformedArguments ?? call.arguments)})`;
}

function toolsText(tools: readonly string[]): string {
  const names = [...new Set(tools)];
  const counted = (name: string): string => {
    const times = tools.filter((tool) => tool === name).length;
    return times === 1 ? nameText(name) : `${nameText(name)} (${times} times)`;
  };
  return `${listText(names, counted)} ${names.length === 1 ? "was called" : "were called"}`;
}

function turnsText(turns: readonly number[]): string {
  return `turns ${listText(turns, String)}`;
}

function listText<T>(items: readonly T[], toText: (item: T) => string): string {
  const words = items.slice(0, SHOWN_NAMES).map(toText);
  if (items.length > SHOWN_NAMES) words.push(`${items.length - SHOWN_NAMES} more`);
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

function turnText({ oldTurn, newTurn }: { oldTurn: number; newTurn: number }): string {
  return oldTurn === newTurn ? `at turn ${newTurn}` : `at turn ${newTurn} (turn ${oldTurn} in the old run)`;
}

function changesText(changes: readonly ValueChange[]): string {
  const said = changes.slice(0, SHOWN_CHANGES).map(changeText);
  const rest = changes.length - said.length;
  if (rest > 0) said.push(`and ${plural(rest, "more place")}`);
  return said.join(", ");
}

function changeText(change: ValueChange): string {
  const place = change.pointer === "" ? "the whole" : toVisible(slice(change.pointer, 0));
  if (change.old === undefined) return `${place} ${cut(change.new ?? null)} is new`;
  if (change.new === undefined) return `${place} ${cut(change.old)} is gone`;
  const [old, now] = cutPair(change.old, change.new);
  return `${place} was ${old} and is ${now}`;
}

function cut(value: JsonValue): string {
  return typeof value === "string" ? quote(value, 0) : toVisible(cutJson(canonicalize(value)));
}

/** Both values; of two texts that must be cut, both begin shortly before their first difference. */
function cutPair(old: JsonValue, now: JsonValue): [string, string] {
  if (typeof old !== "string" || typeof now !== "string") return [cut(old), cut(now)];
  let common = 0;
  while (common < old.length && old[common] === now[common]) common++;
  const start = Math.max(old.length, now.length) > SHOWN_CHARACTERS && common > 2 * LEAD ? common - LEAD : 0;
  return [quote(old, start), quote(now, start)];
}

/** A text in quotes, which stand around the marks of what is missing too. */
function quote(text: string, start: number): string {
  return toVisible(canonicalize(slice(text, start)));
}

/** The beginning of an object or list, with what the cut left open closed again: `{"q":"long te…"}`. */
function cutJson(json: string): string {
  if (json.length <= SHOWN_CHARACTERS) return json;
  const closers: string[] = [];
  let end = 0;
  for (const [token] of json.slice(0, 2 * SHOWN_CHARACTERS).matchAll(/\\u[0-9a-f]{4}|\\.|./gsu)) {
    if (end + token.length > SHOWN_CHARACTERS) break;
    end += token.length;
    const open = closers.at(-1);
    const closer = open === '"' ? undefined : CLOSERS.get(token);
    if (token === open) closers.pop();
    else if (closer !== undefined) closers.push(closer);
  }
  return `${json.slice(0, end)}…${closers.reverse().join("")}`;
}

/** At most SHOWN_CHARACTERS code units from `start`, never half a character, with a mark where something is missing. */
function slice(text: string, start: number): string {
  const from = isInsidePair(text, start) ? start - 1 : start;
  const end = from + SHOWN_CHARACTERS;
  const to = isInsidePair(text, end) ? end - 1 : end;
  return (from > 0 ? "…" : "") + text.slice(from, to) + (to < text.length ? "…" : "");
}

function isInsidePair(text: string, index: number): boolean {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff;
}
