// What to do about each case of a memory that does not hold: the last sentence of its error.

import type { keyCases } from "./keys.js";
import type { scopeCases } from "./scopes.js";
import type { valueCases } from "./values.js";
import type { walkCases } from "./walk.js";

type Name =
  | keyof typeof keyCases
  | keyof typeof scopeCases
  | keyof typeof valueCases
  | keyof typeof walkCases
  | "closes without an error";

const BY_BOTH =
  "Find an entry by scope and key as two values, whole and as they are, and not by one text made of both.";
const BY_EACH_UNIT = "Compare keys by each of their code units: no normal form, no case, no trimming, no end at a NUL.";
const COPY = "Keep a copy of what is written and give a copy of what is read, such as its JSON text.";
const ONE_CALL = "Let one call do its reading and writing in one step: one statement, one transaction or one lock.";
const NO_OBJECT = "Keep entries in a Map, or in an object without a prototype.";

/** One sentence for each case. */
export const MEMORY_ADVICE: Readonly<Record<Name, string>> = {
  "reads what was never written as undefined, and forgets nothing by that":
    "Give undefined where nothing was written, false for its delete and [] for its keys; and keep entries in a Map.",
  "takes a new value in place of the old one, whole": "Replace the value, and merge nothing into it.",
  "keeps null, which is not the same as nothing": "Tell a key with the value null from a key that is not there.",
  "deletes one key, once": "Let delete give true where there was such a key, and false where there was none.",
  "sorts keys by code unit": "Sort the list of keys with sort() and no comparison, after the database has given it.",
  "keeps keys apart that only look alike": BY_EACH_UNIT,
  "keeps keys that are no well-formed text apart, or refuses them by an AgentError":
    "Keep keys as their JSON text, which escapes half of a character, or reject such a key with an AgentError.",
  "keeps long keys apart, or refuses them by an AgentError":
    "Cut no key off: reject one that is too long with an AgentError.",
  "keeps keys with the names of what every object has": NO_OBJECT,
  "keeps and lists many keys of one scope": "Read every page that the store lists keys in, and clear all of them.",
  "gives a list of keys that is the caller's own": "Give a new list at each call.",

  "keeps every kind of JSON value": "Write values as JSON text and read them with JSON.parse, whatever their type.",
  "keeps __proto__ and the names of every object's methods as data":
    "Copy objects with JSON.parse or with defineProperty: an assignment to __proto__ sets the prototype.",
  "keeps large values": "Keep a value whole, or reject it with an AgentError; cut nothing off.",
  "shares nothing with the value that was written": COPY,
  "shares nothing with the value that was read": COPY,
  "refuses what is no JSON by an AgentError, and keeps the old value":
    "Check the value before the old one is touched, and reject with new AgentError('not-json', message).",

  "keeps scopes apart, whatever their names": BY_BOTH,
  "clears one scope alone": BY_BOTH,
  "deletes in one scope alone": BY_BOTH,

  "does what a plain map does, over many mixed calls":
    "Take the calls up to that step one by one: the walk is the same in every run.",
  "keeps every value of calls that are made at once": ONE_CALL,
  "keeps one whole value of many that are written to one key at once": ONE_CALL,
  "clears one scope while another is written": ONE_CALL,
  "deletes a key for one of many who ask at once": ONE_CALL,
  "closes without an error": "Let close end when everything that was asked before it is done.",
};
