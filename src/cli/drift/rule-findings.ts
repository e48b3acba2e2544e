// The rules that a run does not keep, as the gate's report names them.

import { defined } from "../../core/index.js";
import { checkRules, DEFAULT_MAX_BYTES, type Cassette, type RuleBreak, type RuleSet } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { turnLines, type RuleFinding } from "../../harness/index.js";

/** One finding for each rule that the run does not keep: the first break, and how many more there are. */
export async function findBroken(
  files: FilePort,
  { file, cassette, side }: { file: string; cassette: Cassette; side: RuleFinding["side"] },
  rules: RuleSet,
): Promise<RuleFinding[]> {
  const broken = new Map<string, { first: RuleBreak; more: number }>();
  for (const found of checkRules(cassette, rules)) {
    const known = broken.get(found.rule);
    if (known === undefined) broken.set(found.rule, { first: found, more: found.more ?? 0 });
    else known.more += 1 + (found.more ?? 0);
  }
  if (broken.size === 0) return [];
  const lines = await linesOf(files, file);
  return [...broken.values()].map(({ first: { rule, turn, sentence }, more }): RuleFinding => {
    const line = lines[turn];
    const location = { file, turn, ...defined({ line }) };
    return { rule, side, location, sentence: more === 0 ? sentence : `${sentence} And ${more} more of this rule.` };
  });
}

/** The line on which each turn of the file begins. */
export async function linesOf(files: FilePort, file: string): Promise<number[]> {
  const read = await files.read(file, DEFAULT_MAX_BYTES);
  return read.kind === "read" ? turnLines(new TextDecoder().decode(read.bytes)) : [];
}
