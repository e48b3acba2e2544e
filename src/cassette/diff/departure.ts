// How far one run departs from another in what the order of calls does not allow. Under `in_order`, `subset` and `superset` that
// has a direction: a run that leaves calls out is no drift from the other under `subset`, and the other is one from it.

import { countCallDrifts } from "./diff.js";
import { pathDistance, type RunPath } from "./align/distance.js";
import { orderRules, type CallOrder } from "./order.js";

/** True for the orders that allow differences one way: `in_order`, `subset` and `superset`. */
export function isOneWay(order: CallOrder): boolean {
  return orderRules(order).allowed.length > 0;
}

/**
 * From 0 to 1, and 0 exactly where a comparison from `old` to `now` finds no drift of calls. One way: the d drifts that it finds,
 * as 2d / (n + m + d) for runs of n and m calls; else the distance. Both runs were reduced with the same options. Throws
 * "diff-too-large".
 */
export function pathDeparture(old: RunPath, now: RunPath): number {
  if (old.settings.order.allowed.length === 0) return pathDistance(old, now);
  const calls = old.sets.flat().length + now.sets.flat().length;
  const drifts = countCallDrifts(old.sets, now.sets, old.settings);
  return calls === 0 ? 0 : (2 * drifts) / (calls + drifts);
}
