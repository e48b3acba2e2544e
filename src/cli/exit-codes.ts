// The exit codes of `cassette`: a closed table, and a promise to every CI script. `record` and `replay` pass on the code of
// the command they ran instead.

import type {
  CassetteErrorCode,
  GraphErrorCode,
  LoadErrorCode,
  MissErrorCode,
  RecordErrorCode,
} from "../cassette/index.js";

/** The codes by name. */
export const EXIT = {
  /** Done; compared, and the same. */
  ok: 0,
  /** Done, and the answer is no: drift, a miss, a part that was left out. */
  drift: 1,
  /** Could not run: wrong usage, an unreadable file, nothing to compare. */
  failed: 2,
  /** A cassette was refused at the door: damaged, edited, downgraded. */
  integrity: 3,
} as const;

/** One of the codes of the table. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

type ExitTable = Record<LoadErrorCode, typeof EXIT.integrity> &
  Record<MissErrorCode | GraphErrorCode, typeof EXIT.drift> &
  Record<RecordErrorCode, typeof EXIT.failed>;

const TABLE: ExitTable = {
  "not-utf8": 3,
  "byte-order-mark": 3,
  "not-json": 3,
  "duplicate-key": 3,
  "number-not-finite": 3,
  "number-inexact": 3,
  "lone-surrogate": 3,
  "too-deep": 3,
  "too-large": 3,
  "version-newer": 3,
  "version-malformed": 3,
  downgrade: 3,
  "unknown-field": 3,
  "missing-field": 3,
  "wrong-type": 3,
  "out-of-order": 3,
  "prompt-hash": 3,
  "response-hash": 3,
  "envelope-hash": 3,
  "integrity-required": 3,
  "bundle-hash": 3,
  "bundle-mismatch": 3,
  "signature-invalid": 3,
  "signature-untrusted": 3,
  "signature-missing": 3,
  "lock-mismatch": 3,
  "lock-malformed": 3,
  "trust-malformed": 3,
  "acceptance-malformed": 3,
  "prompt-changed": 1,
  "tools-changed": 1,
  "settings-changed": 1,
  "filter-one-sided": 1,
  "redaction-one-sided": 1,
  "redacted-argument": 1,
  exhausted: 1,
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
  "rules-malformed": 2,
  "tolerances-malformed": 2,
};

/** What a failure of the cassette layer means to a script. */
export function exitCodeOf(code: CassetteErrorCode): ExitCode {
  return TABLE[code];
}
