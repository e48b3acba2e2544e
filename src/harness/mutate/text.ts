// Ways to change a text so that it says something else: replace a word, negate a number, empty it.

import { shorten } from "../../core/index.js";
import { MAX_MUTATED_TEXT_CHARACTERS } from "../limits.js";
import type { Choose } from "./mutant.js";

export interface TextChange {
  readonly how: "word" | "number" | "emptied";
  readonly text: string;
  /** For a sentence: "says …". */
  readonly says: string;
}

/** Plain words that rarely fit in place of another word. */
const OTHER_WORDS = ["otherwise", "purple", "seventeen", "nowhere", "turnip"];
const WORD = /\p{L}[\p{L}\p{M}]+/gu;
const NUMBER = /(?<![\p{L}\p{N}_.-])\d+(?:\.\d+)?(?![\p{L}\p{N}_])/gu;

/** Lists changes of a text, all different from it. Blank text has no changes, because emptying it would change nothing. */
export function textChanges(text: string, name: string, choose: Choose): TextChange[] {
  if (text.trim() === "") return [];
  return [
    replaceWord(text, name, choose),
    ...negateNumber(text, name, choose),
    { how: "emptied", text: "", says: "is empty" },
  ];
}

/** Replaces one word, or the whole text if it has no words. */
export function replaceWord(text: string, name: string, choose: Choose): TextChange {
  const words = [...text.slice(0, MAX_MUTATED_TEXT_CHARACTERS).matchAll(WORD)];
  const word = words[choose(`${name} word`, words.length)];
  const old = word?.[0] ?? "";
  const others = OTHER_WORDS.filter((other) => other !== old.toLowerCase() && other !== text);
  const other = others[choose(`${name} other`, others.length)] ?? "";
  if (word === undefined) return { how: "word", text: other, says: `says ${quote(other)} instead` };
  const says = `says ${quote(other)} where it said ${quote(old)}`;
  return { how: "word", text: splice(text, word.index, old, other), says };
}

function negateNumber(text: string, name: string, choose: Choose): TextChange[] {
  const numbers = [...text.slice(0, MAX_MUTATED_TEXT_CHARACTERS).matchAll(NUMBER)];
  const number = numbers[choose(`${name} number`, numbers.length)];
  if (number === undefined) return [];
  const [old] = number;
  const other = Number(old) === 0 ? "1" : `-${old}`;
  const says = `says ${other} where it said ${old}`;
  return [{ how: "number", text: splice(text, number.index, old, other), says }];
}

function splice(text: string, index: number, old: string, other: string): string {
  return text.slice(0, index) + other + text.slice(index + old.length);
}

function quote(text: string): string {
  return JSON.stringify(shorten(text, 40));
}
