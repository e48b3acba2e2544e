// The command behind a refusal: a cassette that is there and does not load, or whose tools answer otherwise now, can be recorded
// anew, and the error says how.

import { defined } from "../../core/index.js";
import { resolve } from "node:path";
import { CassetteError, type CassetteErrorCode } from "../../cassette/index.js";

/**
 * Not among them: what is too large, and what a lock does not confirm. Those ask for something else
 * than a recording.
 */
const ENDED_BY_RECORDING: ReadonlySet<CassetteErrorCode> = new Set<CassetteErrorCode>([
  "not-utf8",
  "byte-order-mark",
  "not-json",
  "duplicate-key",
  "number-not-finite",
  "number-inexact",
  "lone-surrogate",
  "too-deep",
  "version-newer",
  "version-malformed",
  "downgrade",
  "unknown-field",
  "missing-field",
  "wrong-type",
  "out-of-order",
  "prompt-hash",
  "response-hash",
  "envelope-hash",
  "integrity-required",
  "signature-invalid",
  "not-a-cassette",
  "tool-drift",
]);

/** The same error with the command to be pasted, where `file` was refused and a recording would end that. */
export function withCommand(error: unknown, file: string, rerecord: string | undefined): unknown {
  if (rerecord === undefined || !(error instanceof CassetteError) || !ENDED_BY_RECORDING.has(error.code)) return error;
  // A lock or a trust list is another file.
  if (resolve(error.file ?? "") !== resolve(file)) return error;
  const { code, summary, hint, pointer } = error;
  return new CassetteError(code, summary, {
    file,
    rerecord,
    ...defined({ hint, pointer }),
  });
}
