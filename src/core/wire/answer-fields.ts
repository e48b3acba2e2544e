// What only one wire has of an answer: the vendor's own word for its end, sources, log probabilities, details of the counts. A response
// keeps it under the name of the wire, and a client of that wire gets it back. It is not in the message, which clients repeat in later
// requests.

import { isPlainObject, type JsonObject, type JsonValue } from "../canon/value.js";
import type { LlmTurnResponse, StopReason } from "../model/provider.js";
import { settleStop, toList, toObject, toText, type Decoding, type WireObject } from "../http/json-readers.js";
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
    // Details of a usage without counts have no usage to go back to.
    if (field === "usage" && response.usage === undefined) continue;
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
  const { field, written } = words;
  const isWrittenAnyway = word === "" || written[response.stopReason] === word;
  return isWrittenAnyway || !standsFor(word, response, words) ? {} : { [field]: word };
}

/** The recorded word for why an answer ended, unless its reason was changed since, as an injected fault does. */
export function stopWordOf(response: LlmTurnResponse, words: StopWords): string {
  const word = toText(wireFieldsOf(response, words.wire)[words.field]);
  return word !== "" && standsFor(word, response, words) ? word : words.written[response.stopReason];
}

function standsFor(word: string, { message, stopReason }: LlmTurnResponse, { known }: StopWords): boolean {
  const reason = Object.hasOwn(known, word) ? known[word] : undefined;
  return reason !== undefined && settleStop(reason, (message.toolCalls ?? []).length > 0) === stopReason;
}

/** A text of an answer and the sources that its vendor names for it. */
export interface CitedText {
  text: string;
  citations: readonly unknown[];
}

/** The lengths and the citations of the texts of an answer. Empty if no text has any citations. */
export function citedFields(texts: readonly CitedText[]): WireObject[] {
  if (texts.every(({ citations }) => citations.length === 0)) return [];
  return texts.map(({ text, citations }) => ({
    length: text.length,
    ...(citations.length === 0 ? {} : { citations }),
  }));
}

/** The texts of a content, as `citedFields` found them. A content that was changed since is one text with all the citations. */
export function citedTexts(content: string, fields: JsonValue | undefined): { text: string; citations: JsonValue[] }[] {
  const texts = toList(fields).map((item) => {
    const { length, citations } = toObject(item);
    return { length: typeof length === "number" ? length : NaN, citations: toList(citations) as JsonValue[] };
  });
  if (texts.reduce((sum, { length }) => sum + length, 0) !== content.length) {
    return [{ text: content, citations: texts.flatMap(({ citations }) => citations) }];
  }
  let end = 0;
  return texts.map(({ length, citations }) => ({ text: content.slice(end, (end += length)), citations }));
}

/** The parts of a vendor's usage that are kept for its clients. */
export interface UsageParts {
  /** The fields of the usage. */
  fields: readonly string[];
  /** Names in them that our own usage holds. */
  known?: readonly string[];
}

/** What is kept of a usage, without zeros, which say nothing. */
export function usageFields(usage: WireObject, { fields, known = [] }: UsageParts): JsonObject {
  const isKept = (name: string, value: unknown): boolean => isGiven(value) && value !== 0 && !known.includes(name);
  const kept = fields.flatMap((field): [string, unknown][] => {
    const value = usage[field];
    if (!isPlainObject(value)) return isKept(field, value) ? [[field, value]] : [];
    const inner = Object.entries(value).filter(([name, count]) => isKept(name, count));
    return inner.length === 0 ? [] : [[field, Object.fromEntries(inner)]];
  });
  return Object.fromEntries(kept) as JsonObject;
}

/** A written usage with what `usageFields` kept. */
export function withUsageFields(written: JsonObject, response: LlmTurnResponse, wire: string): JsonObject {
  const kept = Object.entries(toObject(wireFieldsOf(response, wire)["usage"]) as JsonObject);
  const merged = kept.map(([field, value]): [string, JsonValue] => {
    const own = written[field];
    return [field, isPlainObject(own) && isPlainObject(value) ? { ...own, ...value } : value];
  });
  return { ...written, ...Object.fromEntries(merged) };
}
