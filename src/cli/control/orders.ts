// The orders that a program gives on stdin, one JSON object per line: open a cassette, and close it.

import { CassetteError } from "../../cassette/index.js";
import { defined, isPlainObject, showValue, unknownOptions, type JsonObject } from "../../core/index.js";
import { createScoreSheet, type RecordedScores } from "../../harness/index.js";

/** How a cassette is replayed or recorded. */
export interface OpenOptions {
  /** Wins over CASSETTE_MODE. */
  readonly mode?: string;
  /** Names of filters of prompts. */
  readonly filter?: readonly string[];
  readonly filterFile?: string;
  /** Patterns of requests that a run does not need. */
  readonly pass?: readonly string[];
  /** Unused turns and exchanges do not fail a replay. */
  readonly allowUnused?: boolean;
  /** Serves answers whose tool calls hold a placeholder. */
  readonly allowRedacted?: boolean;
  /** Records the vendor's errors and cut streams as exchanges. */
  readonly keepErrors?: boolean;
  /** The command that records this cassette again. */
  readonly rerecord?: string;
}

/** How the run of a cassette ended. */
export interface RunEnd {
  /** The run failed for a reason of its own. */
  readonly failed: boolean;
  /** The message of the failure, for the outcome of a recording. */
  readonly error?: string;
  /** The scores of the run, which a recording keeps. */
  readonly scores?: RecordedScores;
}

export type Order =
  | { readonly kind: "open"; readonly file: string; readonly options: OpenOptions }
  | { readonly kind: "close"; readonly id: string; readonly end: RunEnd };

type Kind = "text" | "texts" | "flag";

const OPTIONS: Readonly<Record<keyof OpenOptions, Kind>> = {
  mode: "text",
  filter: "texts",
  filterFile: "text",
  pass: "texts",
  allowUnused: "flag",
  allowRedacted: "flag",
  keepErrors: "flag",
  rerecord: "text",
};

const EXAMPLE = 'Write {"open":"weather.cassette.json"} or {"close":"cassette-1"}.';

/** Throws `invalid-options`. */
export function readOrder(line: string): Order {
  const { open, close, ...rest } = parse(line);
  if (typeof open === "string" && open !== "" && close === undefined) {
    return { kind: "open", file: open, options: readOptions(rest) };
  }
  if (typeof close === "string" && open === undefined) return { kind: "close", id: close, end: readEnd(rest) };
  throw invalid("a line on stdin neither opens nor closes a cassette", EXAMPLE);
}

function parse(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    if (isPlainObject(value)) return value as JsonObject;
  } catch {
    // Refused below.
  }
  throw invalid(`a line on stdin is not a JSON object: ${showValue(line)}`, EXAMPLE);
}

function readOptions(given: JsonObject): OpenOptions {
  const names = Object.keys(OPTIONS);
  const unknown = unknownOptions(given, names);
  if (unknown.length > 0) {
    throw invalid(`a cassette has an unknown option: ${unknown.join(", ")}`, `The options are ${names.join(", ")}.`);
  }
  for (const [name, kind] of Object.entries(OPTIONS)) {
    const value = given[name];
    if (value === undefined || CHECKS[kind].fits(value)) continue;
    throw invalid(`${name} of a cassette is ${showValue(value)}`, CHECKS[kind].hint);
  }
  return given;
}

function readEnd({ failed = false, error, scores, ...rest }: JsonObject): RunEnd {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw invalid(`a closing line has an unknown field: ${unknown}`, "It takes close, failed, error and scores.");
  if (typeof failed !== "boolean") throw invalid(`failed is ${showValue(failed)}`, CHECKS.flag.hint);
  const end = { failed, ...defined({ scores: readScores(scores) }) };
  if (error === undefined) return end;
  if (typeof error !== "string" || !failed)
    throw invalid(`error is ${showValue(error)}`, "Pass a text, with failed: true.");
  return { ...end, error };
}

function readScores(scores: unknown): RecordedScores | undefined {
  if (scores === undefined) return undefined;
  if (!isPlainObject(scores))
    throw invalid(`scores is ${showValue(scores)}`, 'Pass an object such as {"helpful":0.8}.');
  const sheet = createScoreSheet();
  for (const [name, value] of Object.entries(scores)) sheet.add(name, value as number);
  return sheet.all();
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

const CHECKS: Readonly<Record<Kind, { fits: (value: unknown) => boolean; hint: string }>> = {
  text: { fits: isText, hint: "Pass a text, or leave it out." },
  texts: { fits: (value) => Array.isArray(value) && value.every(isText), hint: "Pass a list of texts." },
  flag: { fits: (value) => typeof value === "boolean", hint: "Pass true or false." },
};

function invalid(summary: string, hint: string): CassetteError {
  return new CassetteError("invalid-options", summary, { hint });
}
