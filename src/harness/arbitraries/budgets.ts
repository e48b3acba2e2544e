// Arbitrary limits of a budget, and turns that spend from one: small figures, so that a cap is sometimes met exactly.

import fc from "fast-check";
import { assertKnownOptions, type BudgetLimits, type Usage } from "../../core/index.js";

export interface SpentTurn {
  /** Absent when the vendor reports none. */
  readonly usage?: Usage;
  readonly costUsd?: number;
  /** How many tools it calls. */
  readonly toolCalls: number;
}

/** Limits with any of the four caps, each sometimes 0. Shrinks to no cap at all. */
export function budgetLimits(): fc.Arbitrary<BudgetLimits> {
  return fc.record(
    {
      maxTurns: fc.nat(8),
      maxToolCalls: fc.nat(12),
      maxTokens: fc.nat(200),
      maxCostUsd: fc.nat(120).map((cents) => cents / 100),
    },
    { requiredKeys: [] },
  );
}

/** The turns of a run, `maxTurns` (default 12) at most, with and without usage and price. Shrinks to none. */
export function spending(options: { readonly maxTurns?: number } = {}): fc.Arbitrary<SpentTurn[]> {
  assertKnownOptions("spending", options, ["maxTurns"]);
  const { maxTurns: maxLength = 12 } = options;
  const turn = fc.record(
    {
      toolCalls: fc.nat(5),
      usage: fc.record({ inputTokens: fc.nat(20), outputTokens: fc.nat(20) }),
      costUsd: fc.nat(60).map((cents) => cents / 100),
    },
    { requiredKeys: ["toolCalls"] },
  );
  return fc.array(turn, { maxLength, size: "max" });
}
