// A recorded run held against rules.

import { isSealed, type AssistantMessage, type LlmTurnResponse } from "../../core/index.js";
import type { Cassette } from "../file/format.js";
import type { RuleBreak, RuleSet } from "./format.js";
import { checkRuleSet } from "./read.js";
import { compileRules, type Found, type RuleWatch } from "./watch.js";

/** Breaks of one rule in one run that are listed; of the rest the last one says how many there are. */
export const MAX_BREAKS_PER_RULE = 100;

/** What a rule looks at in a turn. */
export type RuledTurn = Pick<LlmTurnResponse, "usage" | "costUsd" | "model"> & {
  message: Pick<AssistantMessage, "toolCalls">;
};

/**
 * Every rule that the recorded run does not keep, in the order of turns; what the whole run lacks comes last. Empty: all rules
 * are kept. Looks at what the model asked for, whether or not a tool ran. Throws `CassetteError` `rules-malformed` for rules
 * that are not from `parseRules` and not well-formed.
 */
export function checkRules(cassette: Cassette, rules: RuleSet): RuleBreak[] {
  return checkTurns(
    cassette.entries.map(({ response }) => response),
    rules,
  );
}

/** {@link checkRules} for turns that stand in no cassette. */
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

/** A watch over one run. */
export function watchRules(rules: RuleSet): RuleWatch {
  const known = compiled.get(rules);
  if (known !== undefined) return known();
  const checked = checkRuleSet({ ...rules, rulesVersion: 1 });
  const make = compileRules(checked);
  // What may still change is compiled anew each time.
  if (isSealed(rules.rules)) compiled.set(rules, make);
  return make();
}

function createList() {
  const breaks: RuleBreak[] = [];
  const listed = new Map<string, { count: number; last: RuleBreak }>();
  const said = new Set<string>();
  const addOne = ({ fact, once }: Found): void => {
    if (once !== undefined) {
      const name = JSON.stringify([fact.rule, once]);
      if (said.has(name)) return;
      said.add(name);
    }
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
