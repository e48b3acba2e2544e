// Checks a recorded run against rules.

import { isSealed, type AssistantMessage, type LlmTurnResponse } from "../../core/index.js";
import type { Cassette } from "../file/format.js";
import { MAX_BREAKS_PER_RULE } from "../limits.js";
import type { RuleBreak, RuleSet } from "./format.js";
import { checkRuleSet } from "./read.js";
import { compileRules, type Found, type RuleWatch } from "./judge.js";

export type RuledTurn = Pick<LlmTurnResponse, "usage" | "costUsd" | "model"> & {
  message: Pick<AssistantMessage, "toolCalls">;
};

/** Lists every break in order of turns, then of the whole run. Rules also see calls whose tool did not run. Throws `rules-malformed`. */
export function checkRules(cassette: Cassette, rules: RuleSet): RuleBreak[] {
  const turns = cassette.entries.map(({ response }) => response);
  return checkTurns(turns, rules);
}

/** {@link checkRules} for turns outside a cassette. */
export function checkTurns(turns: readonly RuledTurn[], rules: RuleSet): RuleBreak[] {
  const watch = watchRules(rules);
  const list = createList();
  turns.forEach((response, turn) => {
    list.add(watch.turn(turn, response));
    (response.message.toolCalls ?? []).forEach((call, index) => list.add(watch.call({ call, turn, index })));
  });
  list.add(watch.end());
  return list.breaks;
}

const compiled = new WeakMap<RuleSet, () => RuleWatch>();

export function watchRules(rules: RuleSet): RuleWatch {
  const known = compiled.get(rules);
  if (known !== undefined) return known();
  const make = compileRules(checkRuleSet({ ...rules, rulesVersion: 1 }));
  // Rules that may still change are compiled each time.
  if (isSealed(rules.rules)) compiled.set(rules, make);
  return make();
}

function createList() {
  const breaks: RuleBreak[] = [];
  const listed = new Map<string, { count: number; last: RuleBreak }>();
  const seen = new Set<string>();
  const addOne = ({ fact, once }: Found): void => {
    const name = JSON.stringify([fact.rule, once]);
    if (once !== undefined && seen.has(name)) return;
    seen.add(name);
    const known = listed.get(fact.rule) ?? { count: 0, last: fact };
    if (known.count >= MAX_BREAKS_PER_RULE) {
      known.last.more = (known.last.more ?? 0) + 1;
      return;
    }
    breaks.push(fact);
    listed.set(fact.rule, { count: known.count + 1, last: fact });
  };
  return { breaks, add: (found: readonly Found[]) => found.forEach(addOne) };
}
