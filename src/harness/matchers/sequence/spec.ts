// The tool calls that a test expects: a list of turns, with the modes of a comparison's `order`.

import type { CallOrder, Tolerances } from "../../../cassette/index.js";
import { parseCallSpec, type ExpectedCall, type ToolCallSpec } from "../expected-call.js";
import { misuse } from "../matcher.js";
import { describeValue } from "../../text/describe.js";

/** A list of turns. Each is one call, or a list of calls that the model makes in one turn, in any order. */
export type ToolSequence = readonly (ToolCallSpec | readonly ToolCallSpec[])[];

export type SequenceMode = "strict" | "in_order" | "unordered" | "subset" | "superset";

/** The mode for each order. Some orders are synonyms. */
export const MODES: Readonly<Record<CallOrder, SequenceMode>> = {
  strict: "strict",
  exact: "strict",
  in_order: "in_order",
  unordered: "unordered",
  any_order: "unordered",
  subset: "subset",
  superset: "superset",
};

/** Parses the turns of `spec`. Throws for an invalid turn, and for a list that matches every run. */
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
    const what = `an empty list matches every run (${mode})`;
    throw misuse(matcher, what, "List the calls, or use another mode.");
  }
  return spec.map((step: unknown, index) => {
    if (!Array.isArray(step)) return [parseCallSpec(matcher, step, tolerances)];
    if (step.length > 0) return step.map((call: unknown) => parseCallSpec(matcher, call, tolerances));
    throw misuse(matcher, `turn ${index} of the sequence is an empty list`, "List its calls, or remove the turn.");
  });
}
