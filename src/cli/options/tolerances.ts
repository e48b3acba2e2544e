// The tolerances of a command: the file that was named, else `cassette.tolerances.json` of the working folder if there is one.
// Every report says which file it was, since one that lies there unnoticed would change what passes.

import {
  CassetteError,
  readTolerances,
  TOLERANCES_FILE,
  type Tolerances,
  type ToleranceUse,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import type { PrintLine } from "../terminal/output.js";

/** As commander gives `--tolerances <file>` and `--no-tolerances`; undefined for neither. */
export type TolerancesFlag = string | false | undefined;

export interface OpenTolerances {
  readonly file: string;
  readonly tolerances: Tolerances;
}

/** Undefined where nothing is tolerated. Throws `CassetteError` for a file that is missing, though named, or malformed. */
export async function openTolerances(files: FilePort, flag: TolerancesFlag): Promise<OpenTolerances | undefined> {
  if (flag === false) return undefined;
  if (flag !== undefined) return { file: flag, tolerances: await readTolerances(files, flag) };
  try {
    return { file: TOLERANCES_FILE, tolerances: await readTolerances(files, TOLERANCES_FILE) };
  } catch (error) {
    if (error instanceof CassetteError && error.code === "file-not-found") return undefined;
    throw error;
  }
}

/** The lines at the end of a report. */
export async function printTolerances(
  line: PrintLine,
  file: string | undefined,
  uses: readonly ToleranceUse[],
): Promise<void> {
  if (file === undefined) return;
  // Loaded only where something is tolerated: a comparison needs nothing else of the harness.
  const { toleranceLines } = await import("../../harness/index.js");
  const [heading, ...rest] = toleranceLines(file, uses);
  line({ look: "dim", text: heading });
  for (const text of rest) line(text);
}
