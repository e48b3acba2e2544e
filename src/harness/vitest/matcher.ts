// What a matcher is to a test runner, in as much as Vitest and Jest agree on it. Structural, so that neither has to be
// installed for these files, and the same matchers extend either runner's `expect`.

import { isTolerances } from "../../cassette/index.js";
import { HarnessError } from "../errors.js";

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
  readonly utils: { readonly iterableEquality: unknown };
}

/** The refusal of a value that a matcher cannot judge. Thrown, not returned, so that `.not` cannot turn it into a pass. */
export function misuse(matcher: string, what: string, hint: string): HarnessError {
  return new HarnessError("matcher-misuse", `${matcher}: ${what}`, hint);
}

/** What an option must be for a matcher to take it. */
export type OptionKinds = Readonly<Record<string, "a boolean" | "a list of strings" | "tolerances">>;

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
    if (value === undefined || isKind(kind, value)) continue;
    throw misuse(matcher, `its option ${name} is not ${kind}`, "Correct the option, or leave it out.");
  }
}

function isKind(kind: OptionKinds[string], value: unknown): boolean {
  switch (kind) {
    case "a boolean":
      return typeof value === "boolean";
    case "a list of strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "tolerances":
      return isTolerances(value);
  }
}
