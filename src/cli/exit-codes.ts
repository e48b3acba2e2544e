// The exit codes of `cassette`, which CI scripts rely on. `record` and `replay` pass on the code of their command instead.

import type { CassetteErrorCode, GraphErrorCode, MissErrorCode, RecordErrorCode } from "../cassette/index.js";

export const EXIT = {
  /** Done; compared, and the same. */
  ok: 0,
  /** Done, with a negative result: drift, a miss, a part that was left out. */
  drift: 1,
  /** Could not run: wrong usage, an unreadable file, nothing to compare. */
  failed: 2,
  /** A cassette was refused: damaged, edited, downgraded. */
  integrity: 3,
} as const;

/** One of the codes of the table. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Every other code is a load error, which is an integrity failure. */
const OTHERS: Record<MissErrorCode | GraphErrorCode, typeof EXIT.drift> & Record<RecordErrorCode, typeof EXIT.failed> =
  {
    "prompt-changed": 1,
    "tools-changed": 1,
    "settings-changed": 1,
    "filter-one-sided": 1,
    "redaction-one-sided": 1,
    "redacted-argument": 1,
    exhausted: 1,
    "exchange-missing": 1,
    "exchange-changed": 1,
    unconsumed: 1,
    "tool-drift": 1,
    "plan-changed": 1,
    "path-changed": 1,
    "not-recordable": 2,
    "nothing-recorded": 2,
    "turn-in-progress": 2,
    "already-signed": 2,
    "file-exists": 2,
    "file-not-found": 2,
    "file-unreadable": 2,
    "not-a-cassette": 2,
    "record-forbidden": 2,
    "import-unknown-format": 2,
    "import-malformed": 2,
    "diff-too-large": 2,
    "export-without-prompts": 2,
    "export-too-large": 2,
    "invalid-options": 2,
    "prices-malformed": 2,
    "rules-malformed": 2,
    "tolerances-malformed": 2,
  };

/** The exit code for a failure of the cassette layer. */
export function exitCodeOf(code: CassetteErrorCode): ExitCode {
  return (OTHERS as Partial<Record<CassetteErrorCode, ExitCode>>)[code] ?? EXIT.integrity;
}
