// toExhaustBudget: an agent stopped because it reached a cap of its budget.

import type { BudgetCap } from "../../core/index.js";
import { misuse, type MatcherContext, type MatcherResult } from "./matcher.js";
import { eventsOf, runOf } from "./run-result.js";
import { describeValue } from "../text/describe.js";
import { cutText } from "../text/hide.js";

const NAME = "toExhaustBudget";
const HINT = "Pass the whole result of run(). A cassette does not record the budget of its run.";
const CAPS: readonly string[] = ["turns", "toolCalls", "tokens", "costUsd"] satisfies BudgetCap[];

/** Without `cap`, any of the four caps counts. Passes if at least one agent reached it. */
export function exhaustBudget(this: MatcherContext, received: unknown, ...rest: unknown[]): MatcherResult {
  const [cap] = rest;
  if (rest.length > 1 || (rest.length === 1 && !isCap(cap))) {
    throw misuse(
      NAME,
      `the cap is ${describeValue(cap)}`,
      `Pass one of ${CAPS.join(", ")}, or omit the cap to accept any of them.`,
    );
  }
  const run = runOf(NAME, received, HINT);
  const met = run.visits.filter(({ budgetExhausted }) => budgetExhausted !== undefined);
  const found = met.find(({ budgetExhausted }) => cap === undefined || budgetExhausted === cap);
  const what = isCap(cap) ? `its ${cap} cap` : "a cap of its budget";
  if (found !== undefined) {
    const { agentId, budgetExhausted: reached } = found;
    const exhausted = eventsOf(run, "budget-exhausted").find(
      (event) => event.agentId === agentId && event.cap === reached,
    );
    const limit = exhausted === undefined ? "" : ` of ${exhausted.limit}`;
    const message = () =>
      `expected the run not to reach ${what}, but agent ${cutText(agentId)} reached its ` +
      `${reached} cap${limit}.\nRaise the cap, or find out what used it up.`;
    return { pass: true, message };
  }
  const others = met.map(
    ({ agentId, budgetExhausted }) => `agent ${cutText(agentId)} reached its ${budgetExhausted} cap`,
  );
  const message = () =>
    `expected the run to reach ${what}, but ${others.length === 0 ? "no agent reached a cap" : others.join(" and ")}.\n` +
    "Lower the cap in the agent's budget, or correct the expectation.";
  return { pass: false, message };
}

function isCap(value: unknown): value is BudgetCap {
  return CAPS.some((cap) => cap === value);
}
