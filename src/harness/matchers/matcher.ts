// What a matcher is to Vitest and Jest alike. Structural, so that neither has to be installed for these files.

import { isPlainObject } from "../../core/index.js";
import { CALL_ORDERS, isTolerances } from "../../cassette/index.js";
import { HarnessError } from "../errors.js";
import { describeValue } from "../text/describe.js";

/** What a matcher returns. `actual` and `expected` are there when the runner can draw a difference between them. */
export interface MatcherResult {
  pass: boolean;
  message: () => string;
  actual?: unknown;
  expected?: unknown;
}

/** The runner's `this`. */
export interface MatcherContext {
  /** Deep equality that lets asymmetric matchers such as `expect.any(String)` decide. */
  equals(a: unknown, b: unknown, customTesters?: unknown[]): boolean;
  /** What `expect.addEqualityTesters` added. */
  readonly customTesters?: readonly unknown[];
  /** The assertion is negated. */
  readonly isNot?: boolean;
  /** The names of the groups and of the test, joined as the runner joins them. */
  readonly currentTestName?: string;
  readonly testPath?: string;
  /** There in Vitest alone. */
  readonly task?: { readonly concurrent?: boolean; readonly file?: { readonly projectName?: string | undefined } };
  /** There in Jest alone. */
  readonly dontThrow?: unknown;
  readonly utils: {
    readonly iterableEquality: unknown;
    readonly diff?: (expected: unknown, actual: unknown) => string | null | undefined;
    readonly EXPECTED_COLOR?: (text: string) => string;
    readonly RECEIVED_COLOR?: (text: string) => string;
  };
}

/** A matcher as `expect.extend` takes it. */
export type Matcher = (
  this: MatcherContext,
  received: unknown,
  ...rest: unknown[]
) => MatcherResult | Promise<MatcherResult>;

/** The refusal of a value that a matcher cannot judge. Thrown, not returned, so that `.not` cannot turn it into a pass. */
export function misuse(matcher: string, what: string, hint: string): HarnessError {
  return new HarnessError("matcher-misuse", `${matcher}: ${what}`, hint);
}

/** The refusal of a value of another kind than the matcher `needs`. */
export function misfit(matcher: string, needs: string, received: unknown, hint: string): HarnessError {
  return misuse(matcher, `${needs} and was given ${describeValue(received)}`, hint);
}

/** The answer where neither the assertion nor its opposite is shown: it fails with `.not` as without. */
export function undecided(context: MatcherContext, message: () => string): MatcherResult {
  return { pass: context.isNot === true, message };
}

export type OptionKinds = Readonly<Record<string, keyof typeof KINDS>>;

const KINDS = {
  "a boolean": (value: unknown) => typeof value === "boolean",
  "a list of strings": (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  "a text that is not empty": (value: unknown) => typeof value === "string" && value !== "",
  "a path or a trust list": (value: unknown) => (typeof value === "string" && value !== "") || isPlainObject(value),
  "the text or the bytes of a key": (value: unknown) => typeof value === "string" || value instanceof Uint8Array,
  "an object": (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value),
  "an order of calls": (value: unknown) => CALL_ORDERS.some((order) => order === value),
  tolerances: isTolerances,
} satisfies Record<string, (value: unknown) => boolean>;

/** Throws unless `options` is absent or holds known options of the right kind alone. */
export function assertOptions(matcher: string, options: unknown, kinds: OptionKinds): void {
  if (options === undefined) return;
  const names = Object.keys(kinds).join(", ");
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw misuse(matcher, "its options are no object", `The options are ${names}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw misuse(matcher, `it has no option ${name}`, `The options are ${names}.`);
    if (value === undefined || KINDS[kind](value)) continue;
    const words = kind === "an order of calls" ? `one of ${CALL_ORDERS.join(", ")}` : kind;
    throw misuse(matcher, `its option ${name} is not ${words}`, "Correct the option, or leave it out.");
  }
}
