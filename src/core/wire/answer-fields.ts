// What only one wire has of an answer: the vendor's own word for its end, sources, log probabilities. A response keeps it under the
// name of the wire, and a client of that wire gets it back. It is not in the message, which clients repeat in later requests.

import type { JsonObject } from "../canon/value.js";
import type { LlmTurnResponse, StopReason } from "../model/provider.js";
import { toText, type Decoding } from "../http/json-readers.js";
import { cleanJson } from "../providers/calls.js";
import { isGiven, nested, wireFieldsOf } from "./fields.js";

/** The words of one wire for why an answer ended. */
export interface StopWords {
  wire: string;
  /** The field of an answer that holds the word. */
  field: string;
  known: Readonly<Record<string, StopReason>>;
  /** The word for a reason of which no other word was recorded. */
  written: Readonly<Record<StopReason, string>>;
}

/**
 * `response` with fields of an answer, as the vendor spells them. Null, and empty texts, lists and objects are left out, and so is a
 * value that JSON cannot hold, which is noted.
 */
export function withAnswerFields(
  response: LlmTurnResponse,
  wire: string,
  fields: Readonly<Record<string, unknown>>,
  decoding: Decoding,
): LlmTurnResponse {
  const kept: JsonObject = {};
  for (const [field, value] of Object.entries(fields)) {
    if (!isGiven(value) || isEmpty(value)) continue;
    const clean = cleanJson(value);
    if (clean === undefined) decoding.note(field);
    else kept[field] = clean;
  }
  return { ...response, ...nested(wire, kept) };
}

function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

/** The vendor's word, unless it is the one that is written anyway. */
export function stopWordFields(word: string, response: LlmTurnResponse, words: StopWords): JsonObject {
  const { field, known, written } = words;
  const isOwn = Object.hasOwn(known, word) && known[word] === response.stopReason;
  return word === "" || !isOwn || written[response.stopReason] === word ? {} : { [field]: word };
}

/** The recorded word for why an answer ended, unless its reason was changed since, as an injected fault does. */
export function stopWordOf(response: LlmTurnResponse, { wire, field, known, written }: StopWords): string {
  const word = toText(wireFieldsOf(response, wire)[field]);
  const fits = Object.hasOwn(known, word) && known[word] === response.stopReason;
  return fits && word !== "" ? word : written[response.stopReason];
}
