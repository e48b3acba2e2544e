// toExhaustBudget: a cap of an agent's budget ended its visit.

import type { BudgetCap } from "../../core/index.js";
import { misuse, type MatcherContext, type MatcherResult } from "./matcher.js";
import { eventsOf, runOf } from "./run-result.js";
import { describeValue } from "../text/describe.js";
import { cutText } from "../text/hide.js";

const NAME = "toExhaustBudget";
const HINT = "Pass the whole result of run(). A cassette does not hold the budget of its run.";
const CAPS: readonly string[] = ["turns", "toolCalls", "tokens", "costUsd"] satisfies BudgetCap[];

/** Without `cap` any of the four counts. One agent of several is enough. */
export function exhaustBudget(this: MatcherContext, received: unknown, ...rest: unknown[]): MatcherResult {
  const [cap] = rest;
  if (rest.length > 1 || (rest.length === 1 && !isCap(cap))) {
    throw misuse(NAME, `the cap is ${describeValue(cap)}`, `Pass one of ${CAPS.join(", ")}, or leave it out for any.`);
  }
  const run = runOf(NAME, received, HINT);
  const met = run.visits.filter(({ budgetExhausted }) => budgetExhausted !== undefined);
  const found = met.find(({ budgetExhausted }) => cap === undefined || budgetExhausted === cap);
  const what = isCap(cap) ? `its cap of ${cap}` : "a cap of its budget";
  if (found !== undefined) {
    const { agentId, budgetExhausted: reached } = found;
    const exhausted = eventsOf(run, "budget-exhausted").find(
      (event) => event.agentId === agentId && event.cap === reached,
    );
    const limit = exhausted === undefined ? "" : `, ${exhausted.limit}`;
    const message = () =>
      `expected the run not to reach ${what}, but agent ${cutText(agentId)} reached its cap of ` +
      `${reached}${limit}.\nRaise the cap, or find out what used it up.`;
    return { pass: true, message };
  }
  const others = met.map(({ agentId, budgetExhausted }) => `${cutText(agentId)} that of ${budgetExhausted}`);
  const message = () =>
    `expected the run to reach ${what}, but ${others.length === 0 ? "no agent reached any" : `others were reached: ${others.join(", ")}`}.\n` +
    "Lower the cap in the agent's budget, or correct the expectation.";
  return { pass: false, message };
}

function isCap(value: unknown): value is BudgetCap {
  return CAPS.some((cap) => cap === value);
}
