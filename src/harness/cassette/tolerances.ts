// Tolerances of a test: the path of a file, or tolerances that are already read.

import { assertTolerances, readTolerances, type Tolerances } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

/** The path of a `cassette.tolerances.json`, or the result of `checkTolerances` and the like. */
export type ToleranceSource = string | Tolerances;

/** Throws `invalid-options` for other values. Reads nothing. */
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
