// The tool calls a test expects of a run: a list of turns, in the words of `order` of a comparison.

import type { CallOrder, Tolerances } from "../../../cassette/index.js";
import { parseCallSpec, type ExpectedCall, type ToolCallSpec } from "../expected-call.js";
import { misuse } from "../matcher.js";
import { describeValue } from "../../text/describe.js";

/** A turn each: one call, or a list of calls that the model asks for together, in any order. */
export type ToolSequence = readonly (ToolCallSpec | readonly ToolCallSpec[])[];

export type SequenceMode = "strict" | "in_order" | "unordered" | "subset" | "superset";

/** Two words may mean one thing. */
export const MODES: Readonly<Record<CallOrder, SequenceMode>> = {
  strict: "strict",
  exact: "strict",
  in_order: "in_order",
  unordered: "unordered",
  any_order: "unordered",
  subset: "subset",
  superset: "superset",
};

/** The turns of `spec`. Throws for what is none, and for a list that any run would hold. */
export function parseSequence(
  matcher: string,
  spec: unknown,
  mode: SequenceMode,
  tolerances: Tolerances | undefined,
): ExpectedCall[][] {
  if (!Array.isArray(spec)) {
    const hint = 'Pass a list such as ["search", { name: "book", args: { city: "Oslo" } }].';
    throw misuse(matcher, `the sequence is ${describeValue(spec)}`, hint);
  }
  if (spec.length === 0 && (mode === "in_order" || mode === "superset")) {
    const what = `every run has the calls of an empty list (${mode})`;
    throw misuse(matcher, what, "Name the calls, or take another mode.");
  }
  return spec.map((step: unknown, index) => {
    if (!Array.isArray(step)) return [parseCallSpec(matcher, step, tolerances)];
    if (step.length > 0) return step.map((call: unknown) => parseCallSpec(matcher, call, tolerances));
    throw misuse(matcher, `turn ${index} of the sequence is an empty list`, "Name its calls, or leave the turn out.");
  });
}
