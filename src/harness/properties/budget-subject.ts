// The input of checkBudget: limits, or a function that makes a budget. It is checked before any turn is spent.

import { createBudget, type Budget, type BudgetCap, type BudgetLimits } from "../../core/index.js";
import { assertNew, factoryHint } from "../contract/factory.js";
import { describeGiven, isClass, isObject, missingMethods, refuse } from "../contract/check-inputs.js";
import { isCount } from "../contract/response.js";
import { describeThrown } from "../contract/thrown.js";

export const CAPS = ["turns", "toolCalls", "tokens", "costUsd"] as const satisfies readonly BudgetCap[];

const OWNER = "checkBudget";
const METHODS = ["takeTurn", "takeToolCall", "spend", "beginConversation", "limitOf"];
const HINT = "Pass limits such as { maxTurns: 8 }, or a function that makes a new budget at each call.";

/** Returns a function that makes a new budget at each call. Throws `AgentError` `invalid-options` for any other value. */
export function budgetMaker(subject: BudgetLimits | (() => Budget)): () => Budget {
  if (typeof subject !== "function") {
    if (!isObject(subject)) refuse(OWNER, describeGiven(subject), HINT);
    if (missingMethods(subject, METHODS).length === 0) {
      refuse(OWNER, "one budget", "Pass a function that makes a new one at each call, or its limits.");
    }
    return () => createBudget(subject, `the budget of ${OWNER}`);
  }
  const given: unknown = subject;
  if (isClass(given)) refuse(OWNER, describeGiven(given), factoryHint(given, HINT));
  const blame = (fault: string, _actual: unknown, cause?: unknown): never =>
    refuse(OWNER, `a function that ${fault}`, HINT, cause);
  const making = { kind: "budget", missing: missingOf, made: new WeakSet(), blame };
  return () => {
    let budget: Budget;
    try {
      budget = subject();
    } catch (error) {
      return blame(`threw ${describeThrown(error)}`, undefined, error);
    }
    assertNew(making, budget);
    return budget;
  };
}

function missingOf(budget: unknown): string[] {
  if (!isObject(budget)) return METHODS;
  const { turns, toolCalls, usage } = budget;
  const counts = Object.entries({ turns, toolCalls }).filter(([, count]) => typeof count !== "number");
  return [...missingMethods(budget, METHODS), ...counts.map(([name]) => name), ...(isObject(usage) ? [] : ["usage"])];
}

export function findTurnsFault(turns: unknown): string | undefined {
  if (!Array.isArray(turns)) return "it must be a list of turns";
  const odd = turns.findIndex((turn: unknown) => !isObject(turn) || !isCount(turn["toolCalls"]));
  return odd === -1 ? undefined : `turn ${odd} must be an object such as { toolCalls: 1, usage: {…}, costUsd: 0.01 }`;
}
