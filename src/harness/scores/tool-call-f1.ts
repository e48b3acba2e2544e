// How well the tool calls of a run match those of a reference: F1, the harmonic mean of precision and recall.

import { assertTolerances, callKey, pairSame, type Tolerances } from "../../cassette/index.js";
import { assertKnownOptions } from "../../core/index.js";
import { invalid } from "../cassette/options.js";
import { MAX_SCORED_CALLS } from "../limits.js";
import { madeCallsOf, type MadeCall } from "../matchers/run-result.js";

interface ToolCallOptions {
  /** Differences in arguments that do not count. */
  readonly tolerances?: Tolerances;
}

/**
 * F1 of the calls of a run against those of a reference: 2 · shared / (run + reference). Calls are shared by name and arguments, each
 * once, in any order. Both take the result of a run, a cassette, or what carries one. Two runs without calls score 1.
 */
export function toolCallF1(run: unknown, reference: unknown, options: ToolCallOptions = {}): number {
  assertKnownOptions("scorers.toolCallF1", options, ["tolerances"]);
  const { tolerances } = options;
  if (tolerances !== undefined) assertTolerances("scorers.toolCallF1", tolerances);
  const [made, wanted] = [itemsOf(run), itemsOf(reference)];
  if (made.length + wanted.length === 0) return 1;
  const isAlike =
    tolerances === undefined
      ? undefined
      : (a: Item, b: Item): boolean =>
          (a.malformedArguments ?? b.malformedArguments) === undefined &&
          tolerances.alike(a.name, a.arguments, b.arguments);
  const shared = pairSame(wanted, made, isAlike).filter((partner) => partner >= 0).length;
  return (2 * shared) / (made.length + wanted.length);
}

type Item = MadeCall & { key: string };

function itemsOf(run: unknown): Item[] {
  const { calls } = madeCallsOf("scorers.toolCallF1", run);
  if (calls.length <= MAX_SCORED_CALLS) return calls.map((call) => ({ ...call, key: callKey(call) }));
  throw invalid(
    `scorers.toolCallF1 was given a run with ${calls.length} calls`,
    `The limit is ${MAX_SCORED_CALLS}. Score a shorter run.`,
  );
}
