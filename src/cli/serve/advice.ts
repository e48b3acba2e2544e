// What to do about requests that cannot be answered, for clients that do not use our library.

import type { MissReport } from "../../cassette/index.js";
import { TO_PASS } from "./requests.js";

/** Advice in the words of the one who serves. */
export interface ServeAdvice {
  readonly recordAgain: string;
  readonly allowRedacted: string;
  readonly exhausted: string;
  readonly filter: (names: readonly string[]) => string;
  /** For a request without a recording. */
  readonly record: string;
  readonly pass: string;
  /** The command that records again. */
  readonly rerecord?: string;
}

/** Advice for `cassette serve`. */
export const SERVE_ADVICE: ServeAdvice = {
  recordAgain: "Undo the change, or record again (npx playhead record --proxy --refresh) and review the new cassette.",
  allowRedacted: "Start cassette serve with --allow-redacted if the client's tools accept a placeholder.",
  exhausted: "Each recorded turn answers once. Restart cassette serve for a second run, or record a longer one.",
  filter: (names) => `start cassette serve with --filter ${names.join(",")}`,
  record: "Record again with npx playhead record --proxy, which records every request below its target.",
  pass: TO_PASS,
};

/** Advice for `cassette serve --control`, where a program opens each cassette. */
export function controlAdvice(rerecord: string | undefined): ServeAdvice {
  return {
    recordAgain: "Undo the change, or record again and review the new cassette.",
    allowRedacted: "Open the cassette with allowRedacted if the client's tools accept a placeholder.",
    exhausted:
      "Each recorded turn answers once. If the run needs more turns now, record again and review the new cassette.",
    filter: (names) => `open the cassette with the filter ${JSON.stringify(names)}`,
    record: "Record again.",
    pass: 'Name requests that a test does not need in pass, such as "GET /v1/models".',
    ...(rerecord === undefined ? {} : { rerecord }),
  };
}

/** The kind of advice for each miss. */
export const ADVICE_FOR: Readonly<Record<MissReport["code"], "recordAgain" | "allowRedacted" | "exhausted">> = {
  "prompt-changed": "recordAgain",
  "tools-changed": "recordAgain",
  "settings-changed": "recordAgain",
  "filter-one-sided": "recordAgain",
  "redaction-one-sided": "recordAgain",
  "redacted-argument": "allowRedacted",
  exhausted: "exhausted",
  "exchange-missing": "recordAgain",
  "exchange-changed": "recordAgain",
  unconsumed: "recordAgain",
  "tool-drift": "recordAgain",
};
