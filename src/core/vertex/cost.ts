// The cost event of a graph vertex, and the run-wide total that all vertices share.

import { toMicroCents } from "../model/usage.js";
import type { FallbackAttempt } from "../providers/fallback/attempt.js";

/** Money in integer micro-cents (1e-8 USD); 0 for an attempt that failed and for a model without a price. */
export interface CostUpdated {
  type: "cost:updated";
  nodeId: string;
  /** The model that answered, in the vendor's words; of a failed attempt the one that was asked for. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  costMicrocents: number;
  cumulativeCostMicrocents: number;
  attemptNumber?: number;
}

/** What one attempt cost, its total being `before` and itself. A skipped entry is no attempt and has none. */
export function toCost(nodeId: string, attempt: FallbackAttempt, before: number): CostUpdated | undefined {
  if (attempt.outcome === "skipped") return undefined;
  const { usage, costUsd } = attempt.outcome === "answered" ? attempt : {};
  const costMicrocents = toMicroCents(amount(costUsd));
  return {
    type: "cost:updated",
    nodeId,
    model: attempt.model,
    inputTokens: amount(usage?.inputTokens),
    outputTokens: amount(usage?.outputTokens),
    costMicrocents,
    cumulativeCostMicrocents: before + costMicrocents,
    attemptNumber: attempt.attemptNumber,
  };
}

/** A vendor's figure, or 0 where it is none. */
function amount(figure: number | undefined): number {
  return figure !== undefined && Number.isFinite(figure) && figure > 0 ? figure : 0;
}

/**
 * The one authority over what a run cost: an engine makes one per run and passes every vertex's events through it. What it
 * counts replaces what each vertex counted for itself; all other events pass as they are.
 */
export function createRunTotal(): <Body extends { type: string }>(body: Body) => Body | CostUpdated {
  let total = 0;
  return (body) => {
    if (!isCost(body)) return body;
    total += body.costMicrocents;
    return { ...body, cumulativeCostMicrocents: total };
  };
}

function isCost(body: { type: string }): body is CostUpdated {
  return body.type === "cost:updated";
}
