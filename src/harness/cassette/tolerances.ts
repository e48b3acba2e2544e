// Tolerances as a test hands them over: the path of a file, or tolerances that were read already.

import { assertTolerances, readTolerances, type Tolerances } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

/** The path of a `cassette.tolerances.json`, or what `checkTolerances` and the like gave. */
export type ToleranceSource = string | Tolerances;

/** Throws `invalid-options` for what is neither. Reads nothing. */
export function assertToleranceSource(owner: string, source: unknown): void {
  if (source === undefined || (typeof source === "string" && source !== "")) return;
  assertTolerances(owner, source);
}

/** Throws `CassetteError` for a file that is missing or malformed. */
export async function openTolerances(
  files: FilePort,
  source: ToleranceSource | undefined,
): Promise<Tolerances | undefined> {
  return typeof source === "string" ? readTolerances(files, source) : source;
}
