// Enforces rules on a live run. It finds the breaks that `checkRules` finds in its recording, except those of its end.

import { watchRules, type FoundBreak, type RuleBreak, type RuleSet, type RuleWatch } from "../../cassette/index.js";
import {
  assertKnownOptions,
  defined,
  showValue,
  type AgentDefinition,
  type BudgetLimits,
  type ToolPolicy,
  type ToolPolicyCall,
} from "../../core/index.js";
import { HarnessError } from "../errors.js";

export interface LiveBreak extends RuleBreak {
  agentId: string;
}

export interface RulesPolicyOptions {
  /**
   * A call that breaks a rule never runs. `end` (the default): the run rejects with a `ToolPolicyError`. `refuse`: the model reads why,
   * and the run goes on.
   */
  readonly onBroken?: "end" | "refuse";
  /** Called with each break before the call is stopped. An error that it throws ends the run. */
  readonly onBreak?: (broken: LiveBreak) => void;
}

/**
 * A tool policy for `policies` of an agent. It stops calls that break a rule of the kinds never, before, atMost and arguments, or
 * `maxCalls` and `maxTurns` of within. Each run and agent has its own counts. It does not see calls that an earlier policy stops, or
 * whose arguments the tool refuses. Throws `CassetteError` `rules-malformed`.
 */
export function rulesPolicy(rules: RuleSet, options: RulesPolicyOptions = {}): ToolPolicy {
  assertKnownOptions("rulesPolicy", options, ["onBroken", "onBreak"]);
  const { onBroken = "end", onBreak } = options;
  if (onBroken !== "end" && onBroken !== "refuse") {
    const message = `rulesPolicy has the onBroken ${showValue(onBroken)}`;
    throw new HarnessError("rules-unclear", message, 'Use "end" or "refuse".');
  }
  watchRules(rules);
  const runs = new WeakMap<AbortSignal, Map<string, LiveWatch>>();
  return {
    call(call) {
      const { agentId, signal } = call;
      const agents = runs.get(signal) ?? new Map<string, LiveWatch>();
      runs.set(signal, agents);
      const live: LiveWatch = agents.get(agentId) ?? { watch: watchRules(rules), nextTurn: 0, ofTurn: [] };
      agents.set(agentId, live);
      const breaks = findBreaks(live, call);
      for (const broken of breaks) onBreak?.({ ...broken, agentId });
      const [first] = breaks;
      if (first === undefined) return undefined;
      const { rule, sentence, pointer, reason } = first;
      const why = reason === undefined ? "" : ` ${reason}`;
      const message = `the rule ${showValue(rule)} is broken: ${sentence}${why} (at ${pointer})`;
      return onBroken === "end" ? { action: "error", message } : { action: "reject-and-continue", message };
    },
  };
}

/**
 * An agent's definition with rules: `rulesPolicy` comes before its own policies, so that it sees the calls of the model unchanged, and
 * lower limits of within rules replace those of its budget. A budget ends a run as a normal stop.
 */
export function enforceRules(
  agent: AgentDefinition,
  rules: RuleSet,
  options: RulesPolicyOptions = {},
): AgentDefinition {
  const policy = rulesPolicy(rules, options);
  const budget = tightest(agent.budget, rules);
  return { ...agent, policies: [policy, ...(agent.policies ?? [])], ...defined({ budget }) };
}

interface LiveWatch {
  readonly watch: RuleWatch;
  nextTurn: number;
  /** Breaks of the latest turn, which each of its calls repeats. */
  ofTurn: FoundBreak[];
}

/** A policy sees calls alone: the turns between two calls have passed without one. */
function findBreaks(live: LiveWatch, { tool, arguments: args, turnIndex, callIndex }: ToolPolicyCall): RuleBreak[] {
  const { watch } = live;
  for (; live.nextTurn <= turnIndex; live.nextTurn++) live.ofTurn = watch.turn(live.nextTurn, {});
  const ofCall = watch.call({ call: { name: tool, arguments: args }, turn: turnIndex, index: callIndex });
  return [...live.ofTurn, ...ofCall].map(({ fact }) => fact);
}

function tightest(own: BudgetLimits | undefined, { rules }: RuleSet): BudgetLimits | undefined {
  let budget = own;
  for (const rule of rules) {
    if (!("within" in rule)) continue;
    const { maxCalls: maxToolCalls, ...rest } = rule.within;
    const limits: BudgetLimits = { ...rest, ...defined({ maxToolCalls }) };
    for (const [name, limit] of Object.entries(limits) as [keyof BudgetLimits, number][]) {
      budget = { ...budget, [name]: Math.min(limit, budget?.[name] ?? Infinity) };
    }
  }
  return budget;
}
