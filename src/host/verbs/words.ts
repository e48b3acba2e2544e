// The words of a query, and how well a text matches them, in any language with letters.

import { MAX_QUERY_WORDS } from "../limits.js";

/** Lower-case words of letters and digits, each once. */
export function toWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words)].slice(0, MAX_QUERY_WORDS);
}

/** Counts the words that occur in the text, also within other words. */
export function countMatches(text: string, words: readonly string[]): number {
  const lower = text.toLowerCase();
  return words.filter((word) => lower.includes(word)).length;
}
