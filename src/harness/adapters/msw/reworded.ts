// The same failure in other words: those who use handlers hold no provider, and read what else went wrong in one message.

import { defined } from "../../../core/index.js";
import { CassetteError } from "../../../cassette/index.js";

/** The error with another summary or hint. All else stays. */
export function reworded(error: CassetteError, words: { summary?: string; hint?: string }): CassetteError {
  const { code, file, pointer, rerecord, miss } = error;
  const { summary = error.summary, hint = error.hint } = words;
  return new CassetteError(code, summary, {
    cause: error.cause,
    ...defined({ hint, file, pointer, rerecord }),
    ...(miss === undefined ? {} : { miss: words.hint === undefined ? miss : { ...miss, hint: words.hint } }),
  });
}

/** The error with advice for those who use handlers. */
export function forHandlers(error: unknown): unknown {
  if (!(error instanceof CassetteError)) return error;
  const hint = ADVICE.get(error.code);
  return hint === undefined ? error : reworded(error, { hint });
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["exhausted", "Each recorded turn answers once: make new handlers for a second run, or record a longer one."],
  [
    "nothing-recorded",
    "Hand these handlers to the server before the run, name the client's base URL in baseUrls, and call done() after the run. An error of the vendor is not recorded.",
  ],
]);
