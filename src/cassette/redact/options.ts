// The `redact` option of recorders and replayers, read once and refused where it cannot be meant.

import { parsePointer, toVisible } from "../../core/index.js";
import { assertKnownOptions, CassetteError } from "../errors.js";
import { MAX_REDACTED_VALUES, MIN_REDACTED_VALUE_LENGTH } from "../limits.js";
import type { Redact } from "./answers.js";
import type { Segments } from "./pointers.js";
import { EMAIL_RULE, KNOWN_RULES, SECRET_RULES, type RedactionRule } from "./detect/secret-rules.js";

/** Which secrets are replaced, and how they are known. */
export interface RedactOptions {
  /** Names of our rules, and rules of your own. Default: every rule of `SECRET_RULES`. An empty list: none. */
  readonly rules?: readonly (string | RedactionRule)[];
  /** True also finds e-mail addresses. Default false. */
  readonly email?: boolean;
  /** Texts of at least four characters that are secrets wherever they stand, such as `secretsOf(process.env)`. */
  readonly values?: readonly string[];
  /** JSON pointers into a message; `*` is any key or index: `/toolCalls/*\/arguments/password`, `/content/token`. */
  readonly pointers?: readonly string[];
  /** Scrubs each answer first, as a function in the place of these options does. */
  readonly custom?: Redact;
}

/** Left out: the rules for secrets. A function: those, after the function. False: nothing. */
export type RedactOption = false | Redact | RedactOptions;

export interface Redaction {
  readonly rules: readonly RedactionRule[];
  readonly values: readonly string[];
  readonly pointers: readonly Segments[];
  readonly custom: Redact | undefined;
}

/** What the names in `extensions.redacted` say that are no rules. */
export const BY_VALUE = "value";
export const BY_POINTER = "pointer";
export const BY_FUNCTION = "custom";

/** Names that no rule may have. */
export const RESERVED: readonly string[] = [BY_VALUE, BY_POINTER, BY_FUNCTION];

/** Undefined where nothing is to be redacted. Throws `invalid-options`. */
export function readRedaction(option: RedactOption | undefined): Redaction | undefined {
  if (option === false) return undefined;
  if (option === undefined) return { rules: SECRET_RULES, values: [], pointers: [], custom: undefined };
  if (typeof option === "function") return { rules: SECRET_RULES, values: [], pointers: [], custom: option };
  if (typeof option !== "object" || option === null || Array.isArray(option)) {
    throw invalid("redact is neither false, nor a function, nor an object of options");
  }
  assertKnownOptions("redact", option, ["rules", "email", "values", "pointers", "custom"]);
  const { rules, email, values = [], pointers = [], custom } = option;
  if (custom !== undefined && typeof custom !== "function") throw invalid("redact.custom is no function");
  if (email !== undefined && typeof email !== "boolean") throw invalid("redact.email is neither true nor false");
  return {
    rules: withEmail(rules === undefined ? SECRET_RULES : list("rules", rules).map(readRule), email === true),
    values: readValues(list("values", values)),
    pointers: list("pointers", pointers).map(readPointer),
    custom,
  };
}

/** The `redact` option with further values to take out. */
export function withValues(option: RedactOption | undefined, values: readonly string[]): RedactOption {
  if (option === false || values.length === 0) return option ?? {};
  if (option === undefined) return { values };
  if (typeof option === "function") return { custom: option, values };
  return { ...option, values: [...(option.values ?? []), ...values] };
}

/** The option with those of our rules that `names` has and it lacks, as an older part of a recording was made with. */
export function withRules(option: RedactOption | undefined, names: readonly string[]): RedactOption | undefined {
  const rules = readRedaction(option)?.rules ?? KNOWN_RULES;
  const added = KNOWN_RULES.filter(({ id }) => names.includes(id) && !rules.some((rule) => rule.id === id));
  if (added.length === 0) return option;
  const rest = typeof option === "function" ? { custom: option } : option;
  return { ...rest, rules: [...rules, ...added] };
}

function withEmail(rules: readonly RedactionRule[], isEmail: boolean): readonly RedactionRule[] {
  return isEmail && !rules.includes(EMAIL_RULE) ? [...rules, EMAIL_RULE] : rules;
}

function readRule(rule: unknown, _: number, all: readonly unknown[]): RedactionRule {
  if (typeof rule === "string") return knownRule(rule);
  const { id, description, pattern, near, check } = (rule ?? {}) as Partial<RedactionRule>;
  if (typeof id !== "string" || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id) || id.length > 60) {
    throw invalid("a rule of redact.rules has no id of lower-case words joined with -");
  }
  const isOurs = KNOWN_RULES.some((known) => known.id === id && known !== rule);
  const isTwice = all.filter((other) => (other as Partial<RedactionRule> | null)?.id === id).length > 1;
  if (isOurs || isTwice || RESERVED.includes(id))
    throw invalid(`a rule of redact.rules has an id that is taken: ${id}`);
  if (typeof description !== "string") throw invalid(`rule ${id} of redact.rules has no description`);
  assertExpression(id, "pattern", pattern);
  assertExpression(id, "near", near);
  if (check !== undefined && typeof check !== "function") throw invalid(`check of rule ${id} is no function`);
  return rule as RedactionRule;
}

function knownRule(id: string): RedactionRule {
  const known = KNOWN_RULES.find((rule) => rule.id === id);
  if (known !== undefined) return known;
  const hint = `The rules are ${KNOWN_RULES.map((rule) => rule.id).join(", ")}.`;
  throw invalid(`redact.rules names ${JSON.stringify(id)}, which is no rule`, hint);
}

/** A text, so that rules can be written as data and none has a state of its own (`lastIndex`). */
function assertExpression(id: string, name: string, source: unknown): void {
  const of = `${name} of rule ${id} of redact.rules`;
  if (Object.prototype.toString.call(source) === "[object RegExp]") {
    throw invalid(`${of} is a RegExp object`, `Give its source, a text without flags: ${name}: /…/.source.`);
  }
  if (typeof source !== "string" || source === "") {
    const hint = `Give a text, such as ${name}: "acme_[0-9a-f]{8}".`;
    throw invalid(`${of} is not the source of a regular expression`, hint);
  }
  let isEmptyFound: boolean;
  try {
    isEmptyFound = new RegExp(source).test("");
  } catch (error) {
    throw invalid(toVisible(`${of} is no regular expression: ${(error as Error).message}`));
  }
  if (isEmptyFound) throw invalid(`${of} also finds the empty text, which is in every text`);
}

/** The values are secrets, so no message shows one. */
function readValues(values: readonly unknown[]): string[] {
  if (values.length > MAX_REDACTED_VALUES) throw invalid(`redact.values has more than ${MAX_REDACTED_VALUES} values`);
  return values.map((value, index) => {
    if (typeof value === "string" && value.length >= MIN_REDACTED_VALUE_LENGTH && value.isWellFormed()) return value;
    throw invalid(`value ${index} of redact.values is no text of at least ${MIN_REDACTED_VALUE_LENGTH} characters`);
  });
}

function readPointer(pointer: unknown): Segments {
  const segments = typeof pointer === "string" ? parsePointer(pointer) : undefined;
  if (segments !== undefined && segments.length > 0) return segments;
  throw invalid(`redact.pointers has ${JSON.stringify(pointer) ?? "nothing"}, which is no JSON pointer to a part`);
}

function list(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  throw invalid(`redact.${name} is no list`);
}

function invalid(what: string, hint = "See docs/redaction.md."): CassetteError {
  return new CassetteError("invalid-options", what, { hint });
}
