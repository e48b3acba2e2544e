// The lines of `cassette check`: each run that breaks a rule, then the broken rules.

import type { RuleBreak, RuleSet } from "../../cassette/index.js";
import type { Failure } from "../errors.js";
import { count, type PrintLine } from "../terminal/output.js";

type CheckedFile = { file: string; breaks: RuleBreak[] };

export interface CheckResult {
  rules: RuleSet;
  files: CheckedFile[];
  failures: { file: string; failure: Failure }[];
  /** Tools that a rule names and no cassette calls or offers: every run keeps a rule with a misspelt name. */
  unseen: { rule: string; tool: string }[];
}

export function printCheck(line: PrintLine, result: CheckResult): void {
  const { rules, files, failures, unseen } = result;
  const broken = files.filter(({ breaks }) => breaks.length > 0);
  for (const file of broken) printFile(line, file);
  for (const { file, failure } of failures) {
    line({ look: "bad", text: "refused  " }, file, `  ${failure.code}: ${failure.message}`);
  }
  for (const { rule, tool } of unseen) {
    line({ look: "warn", text: "note  " }, `the rule ${rule} names ${tool}, which no cassette calls or offers`);
  }
  const all = `${count(files.length, "cassette")} checked against ${count(rules.rules.length, "rule")}`;
  line(
    broken.length === 0 ? { look: "good", text: "kept" } : { look: "bad", text: "broken" },
    `: ${all}, ${files.length - broken.length} kept, ${broken.length} broken`,
  );
  for (const { id } of rules.rules) {
    const times = brokenIn(files, id);
    if (times > 0) line(`  ${id}  in ${count(times, "cassette")}`);
  }
  if (failures.length > 0) line({ look: "bad", text: `${count(failures.length, "file")} could not be checked` });
}

export function brokenIn(files: readonly CheckedFile[], id: string): number {
  return files.filter(({ breaks }) => breaks.some(({ rule }) => rule === id)).length;
}

function printFile(line: PrintLine, { file, breaks }: CheckedFile): void {
  line({ look: "bold", text: file }, `: ${count(new Set(breaks.map(({ rule }) => rule)).size, "rule")} broken`);
  for (const { rule, state, turn, pointer, sentence, reason, more } of breaks) {
    line(`  - ${rule}, turn ${turn}`, state === "unknown" ? " (unknown): " : ": ", sentence);
    line({ look: "dim", text: `      at ${pointer}` });
    if (reason !== undefined) line(`      ${reason}`);
    if (more !== undefined) line(`      and ${more} more of this rule`);
  }
  line("");
}
