// Formats values for messages: counts, short texts, wrong values.

import { toVisible } from "./visible.js";

/** Formats a count: "1 turn", "2 turns". */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** Cuts `text` after `most` UTF-16 units and adds "…". Never keeps half a character. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}

const SHOWN_LENGTH = 60;

/** Formats a wrong value for an error: text in quotes, to distinguish "5" from 5, and only the kind of larger values. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return toVisible(JSON.stringify(shorten(value, SHOWN_LENGTH)));
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}
