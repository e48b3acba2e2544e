// The tolerances and rules of a command: the file of the option, else the default file of the working folder if it exists. Reports
// name the tolerances file, because an unnoticed one would change what passes.

import {
  CassetteError,
  readRules,
  readTolerances,
  RULES_FILE,
  TOLERANCES_FILE,
  type RuleSet,
  type Tolerances,
  type ToleranceUse,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { toleranceLines } from "../../harness/index.js";
import type { PrintLine } from "../terminal/output.js";

/** The value that commander gives for `--x <file>` (a path), `--no-x` (false) or neither (undefined). */
export type FileFlag = string | false | undefined;

export interface OpenFile<Value> {
  readonly file: string;
  readonly value: Value;
}

export type OpenTolerances = OpenFile<Tolerances>;

/** Undefined without tolerances. Throws `CassetteError` for a malformed file, and for a missing one that the option names. */
export function openTolerances(files: FilePort, flag: FileFlag): Promise<OpenTolerances | undefined> {
  return open(files, flag, TOLERANCES_FILE, readTolerances);
}

/** Undefined without rules. Throws like {@link openTolerances}. */
export function openRules(files: FilePort, flag: FileFlag): Promise<OpenFile<RuleSet> | undefined> {
  return open(files, flag, RULES_FILE, readRules);
}

async function open<Value>(
  files: FilePort,
  flag: FileFlag,
  usual: string,
  read: (files: FilePort, file: string) => Promise<Value>,
): Promise<OpenFile<Value> | undefined> {
  if (flag === false) return undefined;
  const file = flag ?? usual;
  try {
    return { file, value: await read(files, file) };
  } catch (error) {
    const isAbsent = flag === undefined && error instanceof CassetteError && error.code === "file-not-found";
    if (isAbsent) return undefined;
    throw error;
  }
}

/** Prints the tolerances that were used, at the end of a report. */
export function printTolerances(line: PrintLine, file: string | undefined, uses: readonly ToleranceUse[]): void {
  if (file === undefined) return;
  const [heading, ...rest] = toleranceLines(file, uses);
  line({ look: "dim", text: heading });
  for (const text of rest) line(text);
}
