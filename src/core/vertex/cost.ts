// The cost event of a graph vertex, and the run-wide total that all vertices share.

import { figure } from "../loop/estimate.js";
import { toMicroCents } from "../model/usage.js";
import type { FallbackAttempt } from "../providers/fallback/failure.js";

/** The cost of one attempt in integer micro-cents (1e-8 USD): 0 for a failed attempt and for a model without a price. */
export interface CostUpdated {
  type: "cost:updated";
  nodeId: string;
  /** The model that answered, in the vendor's words. For a failed attempt, the requested one. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  costMicrocents: number;
  cumulativeCostMicrocents: number;
  attemptNumber?: number;
}

/** The cost event of an attempt after a total of `before`. A skipped entry has none. */
export function toCost(nodeId: string, attempt: FallbackAttempt, before: number): CostUpdated | undefined {
  if (attempt.outcome === "skipped") return undefined;
  const { usage, costUsd } = attempt.outcome === "answered" ? attempt : {};
  const costMicrocents = toMicroCents(figure(costUsd));
  return {
    type: "cost:updated",
    nodeId,
    model: attempt.model,
    inputTokens: figure(usage?.inputTokens),
    outputTokens: figure(usage?.outputTokens),
    costMicrocents,
    cumulativeCostMicrocents: before + costMicrocents,
    attemptNumber: attempt.attemptNumber,
  };
}

/** Counts the cost of a whole run. Create one for each run. Its total replaces that of each vertex's events. Other events pass unchanged. */
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
