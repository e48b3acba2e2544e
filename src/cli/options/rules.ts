// The rules of a command that holds runs against them in passing: the file that was named, else `cassette.rules.json` of the
// working folder if there is one.

import { CassetteError, readRules, RULES_FILE, type RuleSet } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

/** As commander gives `--rules <file>` and `--no-rules`; undefined for neither. */
export type RulesFlag = string | false | undefined;

export interface OpenRules {
  readonly file: string;
  readonly rules: RuleSet;
}

/** Undefined where nothing is checked. Throws `CassetteError` for a file that is missing, though named, or malformed. */
export async function openRules(files: FilePort, flag: RulesFlag): Promise<OpenRules | undefined> {
  if (flag === false) return undefined;
  if (flag !== undefined) return { file: flag, rules: await readRules(files, flag) };
  try {
    return { file: RULES_FILE, rules: await readRules(files, RULES_FILE) };
  } catch (error) {
    if (error instanceof CassetteError && error.code === "file-not-found") return undefined;
    throw error;
  }
}
