// How much the order of the calls counts, under the names that several trajectory evaluators use.

import { CassetteError } from "../errors.js";
import type { DriftKind } from "./drift.js";

/**
 * - `strict` or `exact`: every difference counts.
 * - `in_order`: the old run's calls come in their order; more calls in between, and calls of one turn one after another, are allowed.
 * - `unordered` or `any_order`: the same calls, whatever their turns.
 * - `subset`: the new run makes no call that the old one does not make; it may leave some out. Order does not count.
 * - `superset`: the new run makes every call of the old one; it may make more. Order does not count.
 */
export type CallOrder = "strict" | "exact" | "in_order" | "unordered" | "any_order" | "subset" | "superset";

export interface OrderRules {
  /** False: all calls of a run are one set. */
  inTurns: boolean;
  freeAdditions: boolean;
  /** Kinds of difference that do not count as drift. */
  allowed: readonly DriftKind[];
}

const STRICT: OrderRules = { inTurns: true, freeAdditions: false, allowed: [] };
const UNORDERED: OrderRules = { inTurns: false, freeAdditions: false, allowed: [] };

const RULES: Readonly<Record<CallOrder, OrderRules>> = {
  strict: STRICT,
  exact: STRICT,
  in_order: { inTurns: true, freeAdditions: true, allowed: ["added", "retried", "serialised"] },
  unordered: UNORDERED,
  any_order: UNORDERED,
  subset: { ...UNORDERED, allowed: ["removed"] },
  superset: { ...UNORDERED, allowed: ["added"] },
};

export const CALL_ORDERS = Object.keys(RULES) as readonly CallOrder[];

/** Throws "invalid-options" for an unknown order. */
export function orderRules(order: CallOrder): OrderRules {
  if (Object.hasOwn(RULES, order)) return RULES[order];
  throw new CassetteError("invalid-options", `${JSON.stringify(order)} is not an order of calls`, {
    hint: `Use one of ${CALL_ORDERS.join(", ")}.`,
  });
}
