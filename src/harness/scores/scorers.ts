// Scorers that need no model: the same run always gets the same score, from 0 (worst) to 1 (best).

import { assertTolerances, type Tolerances } from "../../cassette/index.js";
import {
  assertKnownOptions,
  canonicalize,
  createArgumentMatch,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from "../../core/index.js";
import { invalid } from "../cassette/options.js";
import { cassetteOf, findCarrier } from "../matchers/carrier.js";
import { describeValue } from "../text/describe.js";
import { toolCallF1 } from "./tool-call-f1.js";

/** The final answer of a run. Undefined, if there was none, scores 0. */
type Answer = string | undefined;

interface JsonEqualsOptions {
  /** A JSON Schema that the answer must match too. Only for objects. */
  readonly schema?: JsonObject;
  /** Differences that do not count, under the name `answer` or `*`. */
  readonly tolerances?: Tolerances;
}

interface LengthOptions {
  readonly min?: number;
  readonly max?: number;
  /** Default `words`. */
  readonly unit?: "words" | "characters";
}

/** The share of `wanted` texts and patterns that the answer contains. Letters must match in case; use a pattern with `i` if not. */
function contains(answer: Answer, wanted: string | RegExp | readonly (string | RegExp)[]): number {
  assertAnswer("contains", answer);
  const all: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  const wrong = all.findIndex((each) => !(each instanceof RegExp) && (typeof each !== "string" || each === ""));
  if (all.length === 0 || wrong >= 0) {
    const what = all.length === 0 ? "an empty list" : describeValue(all[wrong]);
    throw invalid(`scorers.contains was given ${what}`, "Pass a text, a pattern, or a list of them.");
  }
  if (answer === undefined) return 0;
  const found = all.filter((each) => {
    // A pattern with the flag g continues where its last match ended.
    if (each instanceof RegExp) return new RegExp(each.source, each.flags.replace(/[gy]/g, "")).test(answer);
    return answer.includes(each as string);
  });
  return found.length / all.length;
}

/** 1 if the answer is JSON that equals `expected`, alone or in one Markdown code block. Otherwise 0. */
function jsonEquals(answer: Answer, expected: JsonValue, options: JsonEqualsOptions = {}): number {
  assertAnswer("jsonEquals", answer);
  assertKnownOptions("scorers.jsonEquals", options, ["schema", "tolerances"]);
  const { schema, tolerances } = options;
  if (tolerances !== undefined) assertTolerances("scorers.jsonEquals", tolerances);
  if (schema !== undefined && !isPlainObject(expected)) {
    throw invalid("scorers.jsonEquals has a schema, but expects no object", "Leave the schema out, or wrap the value.");
  }
  const matches = schema === undefined ? undefined : createArgumentMatch(NAME, schema);
  const value = parseAnswer(answer);
  if (value === undefined || (matches !== undefined && matches(value).kind !== "match")) return 0;
  if (tolerances === undefined) return canonicalize(value) === canonicalize(expected) ? 1 : 0;
  return tolerances.compare(NAME, expected as JsonObject, value as JsonObject).changes.length === 0 ? 1 : 0;
}

/** The name that tolerances know the answer by. */
const NAME = "answer";

function parseAnswer(answer: Answer): JsonValue | undefined {
  const text = answer?.trim() ?? "";
  const [, fenced] = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/i.exec(text) ?? [];
  try {
    const value = JSON.parse(fenced ?? text) as JsonValue;
    // Refuses what no recording could hold, such as half a surrogate pair.
    canonicalize(value);
    return value;
  } catch {
    return undefined;
  }
}

/** How refusals begin in English. */
const REFUSALS: readonly RegExp[] = [
  /^(i['’]?m|i am|we['’]?re|we are) (very |so |really )?(sorry|afraid)\b.{0,40}\b(can['’]?t|cannot|can not|won['’]?t|unable)\b/i,
  /^(sorry|apologies)\b.{0,40}\b(can['’]?t|cannot|can not|won['’]?t|unable)\b/i,
  /^(unfortunately,? )?(i|we) (can['’]?t|cannot|can not|won['’]?t|will not|must decline|decline|refuse)\b/i,
  /^(unfortunately,? )?(i['’]?m|i am|we['’]?re|we are) (unable|not able|not allowed|not permitted)\b/i,
];

/**
 * 0 for a refusal, otherwise 1. An answer as text is a refusal if it begins like one in English, or matches one of `more`. A cassette,
 * a recorder or a handle is a refusal also if the vendor says so.
 */
function notRefused(run: unknown, more: readonly RegExp[] = []): number {
  const patterns: readonly unknown[] = Array.isArray(more) ? more : [undefined];
  if (!patterns.every((pattern) => pattern instanceof RegExp)) {
    throw invalid(`scorers.notRefused was given ${describeValue(more)}`, "Pass a list of patterns, or leave it out.");
  }
  const [text, isFlagged] = typeof run === "string" || run === undefined ? [run, false] : lastAnswer(run);
  const begins = (text ?? "").trim();
  return isFlagged || [...REFUSALS, ...patterns].some((pattern) => begins.search(pattern) >= 0) ? 0 : 1;
}

function lastAnswer(run: unknown): [string, boolean] {
  if (findCarrier(run) === undefined) {
    throw invalid(`scorers.notRefused was given ${describeValue(run)}`, "Pass the final answer, or a cassette.");
  }
  const last = cassetteOf("scorers.notRefused", run, false).entries.at(-1)?.response;
  if (last === undefined) return ["", false];
  return [last.finalAnswer ?? last.message.content, last.isRefusal === true || last.stopReason === "contentFilter"];
}

/** 1 if the answer has between `min` and `max` words. Outside, the ratio of the length and the bound that it misses. */
function length(answer: Answer, options: LengthOptions): number {
  assertAnswer("length", answer);
  assertKnownOptions("scorers.length", options, ["min", "max", "unit"]);
  const { min = 0, max = Infinity, unit = "words" } = options;
  const isBound = (bound: number): boolean => bound === Infinity || (Number.isSafeInteger(bound) && bound >= 0);
  if (!isBound(min) || !isBound(max) || min > max || max === 0 || (min === 0 && max === Infinity)) {
    throw invalid(
      `scorers.length has min ${describeValue(options.min)} and max ${describeValue(options.max)}`,
      "Pass whole numbers, at least one of the two, and min up to max.",
    );
  }
  if (!["words", "characters"].includes(unit)) {
    throw invalid(`unit of scorers.length is ${describeValue(unit)}`, "Use words or characters.");
  }
  if (answer === undefined) return 0;
  const size = unit === "words" ? (answer.match(/\S+/g) ?? []).length : Array.from(answer).length;
  if (size < min) return size / min;
  return size > max ? max / size : 1;
}

function assertAnswer(scorer: string, answer: unknown): void {
  if (answer === undefined || typeof answer === "string") return;
  throw invalid(`scorers.${scorer} was given ${describeValue(answer)}`, "Pass the final answer of the run.");
}

/**
 * Scores from 0 (worst) to 1 (best) without a model: `contains`, `jsonEquals`, `toolCallF1`, `notRefused` and `length`. Pass the result
 * to `score(name, value)`. Each throws `invalid-options` for arguments that cannot be scored.
 */
export const scorers = { contains, jsonEquals, toolCallF1, notRefused, length };
