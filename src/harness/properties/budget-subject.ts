// What checkBudget is given: limits, or a function that makes a budget; looked at before any turn is spent.

import { createBudget, type Budget, type BudgetCap, type BudgetLimits } from "../../core/index.js";
import { describeGiven, isClass, isObject, letGo, missingMethods, refuse } from "../contract/given.js";
import { describeThrown } from "../contract/thrown.js";

/** The caps of a budget. */
export const CAPS = ["turns", "toolCalls", "tokens", "costUsd"] as const satisfies readonly BudgetCap[];

const OWNER = "checkBudget";
const METHODS = ["takeTurn", "takeToolCall", "spend", "beginConversation", "limitOf"];
const HINT = "Pass limits such as { maxTurns: 8 }, or a function that makes a new budget at each call.";

/** Makes a new budget at each call. Throws `AgentError` `invalid-options` for what is neither limits nor such a function. */
export function budgetMaker(subject: BudgetLimits | (() => Budget)): () => Budget {
  if (typeof subject !== "function") {
    if (!isObject(subject)) refuse(OWNER, describeGiven(subject), HINT);
    if (missingMethods(subject, METHODS).length === 0) {
      refuse(OWNER, "one budget", "Pass a function that makes a new one at each call, or its limits.");
    }
    return () => createBudget(subject, `the budget of ${OWNER}`);
  }
  if (isClass(subject)) refuse(OWNER, describeGiven(subject), `Pass () => new ${subject.name}().`);
  const made = new WeakSet<object>();
  return () => {
    const budget = makeOnce(subject);
    if (made.has(budget)) {
      refuse(OWNER, "a function that gives the same budget twice", "Let it make a new one at each call.");
    }
    made.add(budget);
    return budget;
  };
}

function makeOnce(make: () => Budget): Budget {
  let budget: Budget;
  try {
    budget = make();
  } catch (error) {
    return refuse(OWNER, `a function that threw ${describeThrown(error)}`, HINT, error);
  }
  const fault = findBudgetFault(budget);
  return fault === undefined ? budget : refuse(OWNER, `a function that gives ${fault}`, HINT);
}

function findBudgetFault(budget: unknown): string | undefined {
  letGo(budget);
  if (!isObject(budget)) return `${describeGiven(budget)}, which is no budget`;
  const { turns, toolCalls, usage } = budget;
  const missing = [
    ...missingMethods(budget, METHODS),
    ...Object.entries({ turns, toolCalls }).flatMap(([name, count]) => (typeof count === "number" ? [] : [name])),
    ...(isObject(usage) ? [] : ["usage"]),
  ];
  return missing.length === 0 ? undefined : `an object without ${missing.join(", ")}, which is no budget`;
}

/** What is wrong with turns that are to be spent; undefined when nothing is. */
export function findTurnsFault(turns: unknown): string | undefined {
  if (!Array.isArray(turns)) return "it is no list of turns";
  const odd = turns.findIndex((turn: unknown) => !isObject(turn) || !isCount(turn["toolCalls"]));
  return odd === -1 ? undefined : `turn ${odd} is none, such as { toolCalls: 1, usage: {…}, costUsd: 0.01 }`;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
