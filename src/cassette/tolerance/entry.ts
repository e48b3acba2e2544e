// One tolerance as a file writes it: a word, or an object with one field. A misspelt one is refused, never ignored.

import { canonicalize, isPlainObject, showValue, type JsonValue } from "../../core/index.js";
import { MAX_PATTERN_LENGTH, MAX_TOLERANCE_CHOICES } from "../limits.js";
import { FIELDS, WORDS, type DateUnit, type Scalar, type Tolerance } from "./kinds.js";
import { compilePattern } from "../regex/compile.js";
import { isScalar } from "./steps.js";

const UNITS: readonly DateUnit[] = ["any", "instant", "day"];

/** A problem in an entry; `at` is a pointer into the entry. */
export interface Flaw {
  readonly kind: "flaw";
  readonly at: string;
  readonly what: string;
}

export function readTolerance(entry: unknown): Tolerance | Flaw {
  const word = WORDS.find((known) => known === entry);
  if (word !== undefined) return { kind: word };
  const known = `${WORDS.join(", ")}, or an object with one of ${FIELDS.join(", ")}`;
  if (!isPlainObject(entry)) return flaw("", `is not a tolerance: ${showValue(entry)}; it must be ${known}`);
  const [field, ...others] = Object.keys(entry);
  const kind = FIELDS.find((name) => name === field);
  if (kind === undefined || others.length > 0) {
    const fields = Object.keys(entry).map(showValue).join(", ");
    return flaw("", `is not a tolerance: an object of ${fields}; it must be ${known}`);
  }
  const value = entry[kind];
  const here: Refuse = (at, what) => flaw(`/${kind}${at}`, what);
  switch (kind) {
    case "default":
      return { kind, value: value as JsonValue };
    case "numeric":
      return readNumeric(value, here);
    case "isoDate": {
      const unit = UNITS.find((name) => name === value);
      return unit === undefined ? here("", `is ${showValue(value)}; it must be ${UNITS.join(", ")}`) : { kind, unit };
    }
    case "regex":
      return readRegex(value, here);
    case "oneOf":
      return readOneOf(value, here);
  }
}

type Refuse = (at: string, what: string) => Flaw;

function flaw(at: string, what: string): Flaw {
  return { kind: "flaw", at, what };
}

function readNumeric(value: unknown, refuse: Refuse): Tolerance | Flaw {
  if (!isPlainObject(value) || Object.keys(value).length === 0) {
    return refuse("", `is ${showValue(value)}; it must be an object with absolute, relative or both`);
  }
  const unknown = Object.keys(value).find((key) => key !== "absolute" && key !== "relative");
  if (unknown !== undefined) return refuse("", `has an unknown field: ${showValue(unknown)}`);
  const { absolute = 0, relative = 0 } = value;
  for (const [key, given] of Object.entries(value)) {
    const isAmount = typeof given === "number" && Number.isFinite(given) && given > 0;
    if (!isAmount) return refuse(`/${key}`, `is ${showValue(given)}; it must be a number above 0`);
  }
  if ((relative as number) > 1)
    return refuse("/relative", `is ${showValue(relative)}; it must be a share of at most 1`);
  return { kind: "numeric", absolute: absolute as number, relative: relative as number };
}

function readRegex(value: unknown, refuse: Refuse): Tolerance | Flaw {
  if (typeof value !== "string" || value === "") return refuse("", `is ${showValue(value)}; it must be a pattern`);
  if (Array.from(value).length > MAX_PATTERN_LENGTH) {
    return refuse("", `has more than the limit of ${MAX_PATTERN_LENGTH} characters`);
  }
  const compiled = compilePattern(value);
  if (compiled.kind === "refused") return refuse("", `cannot be used as a pattern: ${compiled.reason}`);
  return { kind: "regex", pattern: value, matches: compiled.matches };
}

function readOneOf(value: unknown, refuse: Refuse): Tolerance | Flaw {
  if (!Array.isArray(value) || value.length < 2 || value.length > MAX_TOLERANCE_CHOICES) {
    return refuse("", `must be a list of 2 to ${MAX_TOLERANCE_CHOICES} values`);
  }
  const values = value as JsonValue[];
  const wrong = values.findIndex((item) => !isScalar(item));
  if (wrong >= 0) return refuse(`/${wrong}`, "must be a string, number, boolean or null");
  const keys = values.map((item) => canonicalize(item));
  const twice = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (twice >= 0) return refuse(`/${twice}`, "is in the list twice");
  return { kind: "oneOf", values: values as Scalar[] };
}
