// Adds the command that records again to the error of a cassette that does not load, or whose tools answer differently now.

import { resolve } from "node:path";
import { defined } from "../../core/index.js";
import { CassetteError, type CassetteErrorCode } from "../../cassette/index.js";

/** Codes that recording again helps against; not a file that is too large, or that a lock does not confirm. */
const ENDED_BY_RECORDING: ReadonlySet<CassetteErrorCode> = new Set<CassetteErrorCode>([
  ...(["not-utf8", "byte-order-mark", "not-json", "duplicate-key", "number-not-finite", "number-inexact"] as const),
  ...(["lone-surrogate", "too-deep", "version-newer", "version-malformed", "downgrade", "unknown-field"] as const),
  ...(["missing-field", "wrong-type", "out-of-order", "prompt-hash", "response-hash", "envelope-hash"] as const),
  ...(["integrity-required", "signature-invalid", "not-a-cassette", "tool-drift"] as const),
]);

/** The same error with the command to paste, if `file` was refused and recording again would help. */
export function withCommand(error: unknown, file: string, rerecord: string | undefined): unknown {
  if (rerecord === undefined || !(error instanceof CassetteError) || !ENDED_BY_RECORDING.has(error.code)) return error;
  // A lock or a trust list is another file.
  if (resolve(error.file ?? "") !== resolve(file)) return error;
  const { code, summary, hint, pointer } = error;
  return new CassetteError(code, summary, { file, rerecord, ...defined({ hint, pointer }) });
}
