// How far one run departs from another, counting only what the order of calls does not allow, which may have a direction.

import { countCallDrifts } from "./diff.js";
import { pathDistance, type RunPath } from "./align/distance.js";
import { orderRules, type CallOrder } from "./order.js";

/** True for the orders that allow differences in one direction: `in_order`, `subset` and `superset`. */
export function isOneWay(order: CallOrder): boolean {
  return orderRules(order).allowed.length > 0;
}

/**
 * A number from 0 to 1, and 0 exactly where a comparison from `old` to `now` finds no drift of calls: the distance, or for a
 * one-way order 2d / (n + m + d) for d drifts between runs of n and m calls. Both paths must be made with the same options.
 * Throws "diff-too-large".
 */
export function pathDeparture(old: RunPath, now: RunPath): number {
  if (old.settings.order.allowed.length === 0) return pathDistance(old, now);
  const calls = old.sets.flat().length + now.sets.flat().length;
  const drifts = countCallDrifts(old.sets, now.sets, old.settings);
  return calls === 0 ? 0 : (2 * drifts) / (calls + drifts);
}
