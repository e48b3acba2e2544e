// The interface of a matcher in both Vitest and Jest. The types are structural, so neither must be installed.

import { isPlainObject } from "../../core/index.js";
import { CALL_ORDERS, isTolerances } from "../../cassette/index.js";
import { HarnessError } from "../errors.js";
import { describeValue } from "../text/describe.js";

/** The result of a matcher. `actual` and `expected` are set if the runner can draw a diff between them. */
export interface MatcherResult {
  pass: boolean;
  message: () => string;
  actual?: unknown;
  expected?: unknown;
}

/** The `this` that the runner passes to a matcher. */
export interface MatcherContext {
  /** Deep equality that respects asymmetric matchers such as `expect.any(String)`. */
  equals(a: unknown, b: unknown, customTesters?: unknown[]): boolean;
  /** The testers added by `expect.addEqualityTesters`. */
  readonly customTesters?: readonly unknown[];
  /** True for a negated assertion. */
  readonly isNot?: boolean;
  /** The names of the groups and of the test, joined as the runner joins them. */
  readonly currentTestName?: string;
  readonly testPath?: string;
  /** Set only by Vitest. */
  readonly task?: { readonly concurrent?: boolean; readonly file?: { readonly projectName?: string | undefined } };
  /** Set only by Jest. */
  readonly dontThrow?: unknown;
  readonly utils: {
    readonly iterableEquality: unknown;
    readonly diff?: (expected: unknown, actual: unknown) => string | null | undefined;
    readonly EXPECTED_COLOR?: (text: string) => string;
    readonly RECEIVED_COLOR?: (text: string) => string;
  };
}

/** A matcher as `expect.extend` accepts it. */
export type Matcher = (
  this: MatcherContext,
  received: unknown,
  ...rest: unknown[]
) => MatcherResult | Promise<MatcherResult>;

/** The error for a value that a matcher cannot judge. It is thrown, not returned, so `.not` cannot turn it into a pass. */
export function misuse(matcher: string, what: string, hint: string): HarnessError {
  return new HarnessError("matcher-misuse", `${matcher}: ${what}`, hint);
}

/** The error for a received value that is not of the kind the matcher `needs`. */
export function misfit(matcher: string, needs: string, received: unknown, hint: string): HarnessError {
  return misuse(matcher, `${needs} and was given ${describeValue(received)}`, hint);
}

/** The result if neither the assertion nor its opposite can be shown. It fails with or without `.not`. */
export function undecided(context: MatcherContext, message: () => string): MatcherResult {
  return { pass: context.isNot === true, message };
}

export type OptionKinds = Readonly<Record<string, keyof typeof KINDS>>;

const KINDS = {
  "a boolean": (value: unknown) => typeof value === "boolean",
  "a list of strings": (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  "a non-empty string": (value: unknown) => typeof value === "string" && value !== "",
  "a path or a trust list": (value: unknown) => (typeof value === "string" && value !== "") || isPlainObject(value),
  "a key as text or bytes": (value: unknown) => typeof value === "string" || value instanceof Uint8Array,
  "an object": (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value),
  "an order of calls": (value: unknown) => CALL_ORDERS.some((order) => order === value),
  tolerances: isTolerances,
} satisfies Record<string, (value: unknown) => boolean>;

/** Throws unless `options` is absent or holds only known options of the right kind. */
export function assertOptions(matcher: string, options: unknown, kinds: OptionKinds): void {
  if (options === undefined) return;
  const names = Object.keys(kinds).join(", ");
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw misuse(matcher, "its options must be an object", `The options are ${names}.`);
  }
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw misuse(matcher, `it has no option ${name}`, `The options are ${names}.`);
    if (value === undefined || KINDS[kind](value)) continue;
    const words = kind === "an order of calls" ? `one of ${CALL_ORDERS.join(", ")}` : kind;
    throw misuse(matcher, `its option ${name} must be ${words}`, "Correct the option, or remove it.");
  }
}
