// toKeepRules: checks a run or a cassette against rules. Each agent of a run is judged separately, as its recording would be.

import {
  checkRules,
  checkRuleSet,
  checkTurns,
  type RuleBreak,
  type RuledTurn,
  type RuleSet,
} from "../../cassette/index.js";
import { defined, isPlainObject, plural, type AgentEvent } from "../../core/index.js";
import { cassetteOf, findCarrier } from "./carrier.js";
import { misfit, misuse, type MatcherResult } from "./matcher.js";
import type { MatcherHost } from "./host.js";
import { assertPath } from "./baseline/pinned.js";
import { areVisits, RUN_HINT } from "./run-result.js";
import { atMost } from "../text/at-most.js";
import { describeValue } from "../text/describe.js";

const NAME = "toKeepRules";
const SHOWN_BREAKS = 10;

/** `rules` is the path of a file, the result of `parseRules`, or an equal object. */
export function createKeepRules(host: MatcherHost) {
  return async (received: unknown, rules: unknown): Promise<MatcherResult> => {
    const set = await rulesOf(rules, host);
    const breaks = breaksOf(received, set);
    if (breaks.length === 0) {
      const message = () =>
        `expected a rule to be broken, but the run keeps ${set.rules.length === 1 ? "the only rule" : `all ${set.rules.length} rules`}.\n` +
        "Remove .not, or correct the rules.";
      return { pass: true, message };
    }
    return { pass: false, message: () => failureText(breaks) };
  };
}

async function rulesOf(rules: unknown, host: MatcherHost): Promise<RuleSet> {
  if (typeof rules !== "string") {
    if (isPlainObject(rules)) return checkRuleSet({ rulesVersion: 1, ...rules });
    const hint = "Pass the path of a rules file, or parseRules(text).";
    throw misuse(NAME, `the rules are ${describeValue(rules)}`, hint);
  }
  assertPath(NAME, rules);
  if (host.loadRules !== undefined) return host.loadRules(rules);
  throw misuse(NAME, "it cannot read a file", "Pass createMatchers({ load, loadRules }), or parseRules(text).");
}

function breaksOf(received: unknown, rules: RuleSet): RuleBreak[] {
  if (findCarrier(received) !== undefined) return checkRules(cassetteOf(NAME, received, false), rules);
  const runs = agentsOf(received);
  if (runs === undefined) throw misfit(NAME, "it needs a run or a value with a cassette", received, RUN_HINT);
  return runs.flatMap(({ agentId, turns }) =>
    checkTurns(turns, rules).map((broken) =>
      runs.length === 1 ? broken : { ...broken, sentence: `Agent ${agentId}: ${broken.sentence}` },
    ),
  );
}

/** The turns of each agent of a run: messages from its conversations, usage from the events. */
function agentsOf(received: unknown): { agentId: string; turns: RuledTurn[] }[] | undefined {
  if (!isPlainObject(received)) return undefined;
  const { visits, events = [] } = received as { visits?: unknown; events?: readonly AgentEvent[] };
  if (!areVisits(visits)) return undefined;
  const agents = new Map<string, RuledTurn[]>();
  for (const { agentId, messages } of visits) {
    const turns = agents.get(agentId) ?? [];
    agents.set(agentId, turns);
    for (const message of messages) if (message.role === "assistant") turns.push({ message });
  }
  return [...agents].map(([agentId, turns]) => ({ agentId, turns: withFigures(turns, agentId, events) }));
}

/** Adds usage, cost and model, unless an event is missing: then no figure can be matched to its turn. */
function withFigures(turns: RuledTurn[], agentId: string, events: readonly AgentEvent[]): RuledTurn[] {
  const found = events.filter((event) => event.type === "llm-turn" && event.agentId === agentId);
  if (found.length !== turns.length) return turns;
  return turns.map((turn, index) => {
    const { usage, costUsd, model } = found[index] as Extract<AgentEvent, { type: "llm-turn" }>;
    return { ...turn, ...defined({ usage, costUsd, model }) };
  });
}

function failureText(breaks: readonly RuleBreak[]): string {
  const rules = new Set(breaks.map(({ rule }) => rule)).size;
  const toLine = ({ rule, turn, sentence, pointer, reason }: RuleBreak): string =>
    `  - ${rule}, turn ${turn}: ${sentence}\n      at ${pointer}${reason === undefined ? "" : `\n      ${reason}`}`;
  const lines = atMost(breaks, SHOWN_BREAKS, toLine, (rest) => `  and ${plural(rest, "more place")}`);
  return (
    `expected the run to keep its rules, but it breaks ${plural(rules, "rule")}:\n${lines.join("\n")}\n` +
    "Fix the agent, or change the rules if the agent is right."
  );
}
