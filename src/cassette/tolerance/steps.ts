// The steps that turn a single value into its normal form. Their order is fixed: first the text is normalised, then values that
// are alike become one. Every step keeps its own result, and a representative value first passes the steps before it, so that
// applying all steps twice changes nothing (test/laws/tolerance.test.ts).

import { canonicalize, type JsonValue } from "../../core/index.js";
import { MAX_PATTERN_INPUT } from "../limits.js";
import { normalDate } from "./iso-date.js";
import type { Rule, Scalar, Tolerance, ToleranceKind } from "./kinds.js";

export interface Step {
  readonly rule: Rule;
  readonly apply: (value: Scalar) => Scalar;
}

const ORDER: readonly ToleranceKind[] = ["trim", "case", "isoDate", "uuid", "regex", "oneOf"];

/** RFC 9562 §4, of any version. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** The steps of the rules at one place. Rules for objects and lists have none. */
export function toSteps(rules: readonly Rule[]): Step[] {
  const steps: Step[] = [];
  for (const kind of ORDER) {
    for (const rule of rules) {
      if (rule.tolerance.kind === kind) steps.push({ rule, apply: toApply(rule.tolerance, [...steps]) });
    }
  }
  return steps;
}

export function applySteps(steps: readonly Step[], value: Scalar): Scalar {
  return steps.reduce<Scalar>((before, { apply }) => apply(before), value);
}

export function isScalar(value: JsonValue | undefined): value is Scalar {
  return value !== undefined && (typeof value !== "object" || value === null);
}

function toApply(tolerance: Tolerance, before: readonly Step[]): Step["apply"] {
  switch (tolerance.kind) {
    case "trim":
      return onText((text) => text.trim());
    case "case":
      return onText((text) => text.toLowerCase());
    case "isoDate":
      return onText((text) => normalDate(text, tolerance.unit) ?? text);
    case "uuid":
      return onText((text) => (UUID.test(text) ? NIL_UUID : text));
    case "regex": {
      // The pattern between slashes represents every text that matches, and counts as one of them.
      const one = applySteps(before, `/${tolerance.pattern}/`);
      const isMatch = (text: string) => text.length <= MAX_PATTERN_INPUT && tolerance.matches(text);
      return onText((text) => (text === one || isMatch(text) ? one : text));
    }
    case "oneOf": {
      const values = tolerance.values.map((value) => applySteps(before, value));
      const known = new Set(values.map((value) => canonicalize(value)));
      const one = values[0] ?? null;
      return (value) => (known.has(canonicalize(value)) ? one : value);
    }
    default:
      return (value) => value;
  }
}

function onText(change: (text: string) => Scalar): Step["apply"] {
  return (value) => (typeof value === "string" ? change(value) : value);
}
