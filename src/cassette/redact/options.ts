// Reads and checks the `redact` option of recorders and replayers.

import { parsePointer, toVisible } from "../../core/index.js";
import { assertKnownOptions, CassetteError } from "../errors.js";
import { MAX_REDACTED_VALUES, MIN_REDACTED_VALUE_LENGTH } from "../limits.js";
import type { Redact } from "./answers.js";
import type { Segments } from "./pointers.js";
import { EMAIL_RULE, KNOWN_RULES, SECRET_RULES, type RedactionRule } from "./detect/secret-rules.js";

/** Which secrets to replace, and how to find them. */
export interface RedactOptions {
  /** Ids of built-in rules, and rules of your own. Default: all of `SECRET_RULES`. An empty list turns rules off. */
  readonly rules?: readonly (string | RedactionRule)[];
  /** Also replace e-mail addresses. Default false. */
  readonly email?: boolean;
  /** Texts to replace everywhere, at least four characters each, such as `secretsOf(process.env)`. */
  readonly values?: readonly string[];
  /** JSON pointers into a message. `*` matches any key or index: `/toolCalls/*\/arguments/password`, `/content/token`. */
  readonly pointers?: readonly string[];
  /** Scrubs each answer before the rules do, like a function passed as `redact`. */
  readonly custom?: Redact;
}

/** Default: the secret rules. A function runs before those rules. False turns redaction off. */
export type RedactOption = false | Redact | RedactOptions;

export interface Redaction {
  readonly rules: readonly RedactionRule[];
  readonly values: readonly string[];
  readonly pointers: readonly Segments[];
  readonly custom: Redact | undefined;
}

/** Names in `extensions.redacted` that stand for a way of finding secrets instead of a rule. */
export const BY_VALUE = "value";
export const BY_POINTER = "pointer";
export const BY_FUNCTION = "custom";

/** Names that a rule's id must not use. */
export const RESERVED: readonly string[] = [BY_VALUE, BY_POINTER, BY_FUNCTION];

/** Returns undefined if redaction is off. Throws `invalid-options`. */
export function readRedaction(option: RedactOption | undefined): Redaction | undefined {
  if (option === false) return undefined;
  if (option === undefined) return { rules: SECRET_RULES, values: [], pointers: [], custom: undefined };
  if (typeof option === "function") return { rules: SECRET_RULES, values: [], pointers: [], custom: option };
  if (typeof option !== "object" || option === null || Array.isArray(option)) {
    throw invalid("redact must be false, a function or an object of options");
  }
  assertKnownOptions("redact", option, ["rules", "email", "values", "pointers", "custom"]);
  const { rules, email, values = [], pointers = [], custom } = option;
  if (custom !== undefined && typeof custom !== "function") throw invalid("redact.custom must be a function");
  if (email !== undefined && typeof email !== "boolean") throw invalid("redact.email must be true or false");
  return {
    rules: withEmail(rules === undefined ? SECRET_RULES : list("rules", rules).map(readRule), email === true),
    values: readValues(list("values", values)),
    pointers: list("pointers", pointers).map(readPointer),
    custom,
  };
}

/** Adds values to replace to the `redact` option. */
export function withValues(option: RedactOption | undefined, values: readonly string[]): RedactOption {
  if (option === false || values.length === 0) return option ?? {};
  if (option === undefined) return { values };
  if (typeof option === "function") return { custom: option, values };
  return { ...option, values: [...(option.values ?? []), ...values] };
}

/** Adds the built-in rules in `names` that the option lacks. An older part of the recording used them. */
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
    throw invalid("each rule of redact.rules needs an id: lower-case words joined with -, at most 60 characters");
  }
  const isOurs = KNOWN_RULES.some((known) => known.id === id && known !== rule);
  const isTwice = all.filter((other) => (other as Partial<RedactionRule> | null)?.id === id).length > 1;
  if (isOurs || isTwice || RESERVED.includes(id))
    throw invalid(`a rule of redact.rules uses an id that is already taken: ${id}`);
  if (typeof description !== "string") throw invalid(`rule ${id} of redact.rules has no description`);
  assertExpression(id, "pattern", pattern);
  assertExpression(id, "near", near);
  if (check !== undefined && typeof check !== "function") throw invalid(`check of rule ${id} must be a function`);
  return rule as RedactionRule;
}

function knownRule(id: string): RedactionRule {
  const known = KNOWN_RULES.find((rule) => rule.id === id);
  if (known !== undefined) return known;
  const hint = `The rules are ${KNOWN_RULES.map((rule) => rule.id).join(", ")}.`;
  throw invalid(`redact.rules names an unknown rule: ${JSON.stringify(id)}`, hint);
}

/** An expression must be a string: rules stay plain data and hold no state (`lastIndex`). */
function assertExpression(id: string, name: string, source: unknown): void {
  const of = `${name} of rule ${id} of redact.rules`;
  if (Object.prototype.toString.call(source) === "[object RegExp]") {
    throw invalid(`${of} is a RegExp object`, `Pass its source, a string without flags: ${name}: /…/.source.`);
  }
  if (typeof source !== "string" || source === "") {
    const hint = `Pass a string, such as ${name}: "acme_[0-9a-f]{8}".`;
    throw invalid(`${of} must be the source of a regular expression`, hint);
  }
  let isEmptyFound: boolean;
  try {
    isEmptyFound = new RegExp(source).test("");
  } catch (error) {
    throw invalid(toVisible(`${of} is not a valid regular expression: ${(error as Error).message}`));
  }
  if (isEmptyFound) throw invalid(`${of} must not match the empty string, which occurs in every text`);
}

/** Error messages give the index of a value, since the value is a secret. */
function readValues(values: readonly unknown[]): string[] {
  if (values.length > MAX_REDACTED_VALUES) throw invalid(`redact.values has more than ${MAX_REDACTED_VALUES} values`);
  return values.map((value, index) => {
    if (typeof value === "string" && value.length >= MIN_REDACTED_VALUE_LENGTH && value.isWellFormed()) return value;
    throw invalid(
      `value ${index} of redact.values must be a string of at least ${MIN_REDACTED_VALUE_LENGTH} characters`,
    );
  });
}

function readPointer(pointer: unknown): Segments {
  const segments = typeof pointer === "string" ? parsePointer(pointer) : undefined;
  if (segments !== undefined && segments.length > 0) return segments;
  throw invalid(
    `redact.pointers must hold JSON pointers to parts of a message, not ${JSON.stringify(pointer) ?? "nothing"}`,
  );
}

function list(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  throw invalid(`redact.${name} must be a list`);
}

function invalid(what: string, hint = "See docs/redaction.md."): CassetteError {
  return new CassetteError("invalid-options", what, { hint });
}
