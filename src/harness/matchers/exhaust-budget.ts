// toExhaustBudget: a cap of an agent's budget ended its visit.

import type { BudgetCap } from "../../core/index.js";
import { misuse, type MatcherContext, type MatcherResult } from "./matcher.js";
import { eventsOf, runOf } from "./run-result.js";
import { describeValue } from "../text/describe.js";
import { cutText } from "../text/hide.js";

const NAME = "toExhaustBudget";
const HINT = "Pass what run() gave as a whole; a cassette does not know the budget of its run.";
const CAPS: readonly string[] = ["turns", "toolCalls", "tokens", "costUsd"] satisfies BudgetCap[];

/** Without `cap` any of the four counts, and of several agents any of them. */
export function exhaustBudget(this: MatcherContext, received: unknown, ...rest: unknown[]): MatcherResult {
  const [cap] = rest;
  if (rest.length > 1 || (rest.length === 1 && !isCap(cap))) {
    throw misuse(NAME, `the cap is ${describeValue(cap)}`, `Pass one of ${CAPS.join(", ")}, or nothing for any.`);
  }
  const run = runOf(NAME, received, HINT);
  const met = run.visits.filter(({ budgetExhausted }) => budgetExhausted !== undefined);
  const found = met.find(({ budgetExhausted }) => cap === undefined || budgetExhausted === cap);
  const what = isCap(cap) ? `its cap of ${cap}` : "a cap of its budget";
  if (found !== undefined) {
    const { agentId, budgetExhausted: reached } = found;
    const told = eventsOf(run, "budget-exhausted").find((event) => event.agentId === agentId && event.cap === reached);
    const limit = told === undefined ? "" : `, ${told.limit}`;
    return {
      pass: true,
      message: () =>
        `expected the run not to reach ${what}, but agent ${cutText(agentId)} reached its cap of ` +
        `${reached}${limit}.\nRaise the cap, or find out what it was used up for.`,
    };
  }
  const others = met.map(({ agentId, budgetExhausted }) => `${cutText(agentId)} that of ${budgetExhausted}`);
  return {
    pass: false,
    message: () =>
      `expected the run to reach ${what}, but ${others.length === 0 ? "no agent reached any" : `others were reached: ${others.join(", ")}`}.\n` +
      "Lower the cap in the agent's budget, or correct the expectation.",
  };
}

function isCap(value: unknown): value is BudgetCap {
  return CAPS.some((cap) => cap === value);
}
