// The rules that a run breaks, as findings of the gate's report.

import { checkRules, DEFAULT_MAX_BYTES, type Cassette, type RuleBreak, type RuleSet } from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import { turnLines, type RuleFinding } from "../../harness/index.js";

/** One finding for each broken rule: the first break, and the number of further ones. */
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
