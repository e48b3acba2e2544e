// Standard error of an agent: warnings, errors and the debug log, each a line of JSON with API keys masked.

import { maskSecrets, shorten, thrownText, type JsonObject } from "../../core/index.js";
import { PlumbError } from "../../core/process/index.js";
import { MAX_BAD_LINES, MAX_REPORTED_CHARACTERS } from "../limits.js";

export interface Reporter {
  warn(text: string, event?: string): void;
  error(error: unknown): void;
  debug(line: JsonObject): void;
}

/** After too many bad lines, one in this many is reported. */
const RARE = 1_000;

export function createReporter(write: (text: string) => void): Reporter {
  const line = (fields: JsonObject): void => write(`${JSON.stringify(fields)}\n`);
  let bad = 0;
  return {
    warn: (text, event = "warning") => line({ log: "warn", event, message: quote(text) }),
    error(error) {
      if (error instanceof PlumbError && SKIPPED.includes(error.code)) {
        bad += 1;
        if (bad > MAX_BAD_LINES && bad % RARE !== 0) return;
      }
      const { code, hint } = error as { code?: unknown; hint?: unknown };
      line({
        error: quote(thrownText(error)),
        code: typeof code === "string" ? code : "message-failed",
        ...(typeof hint === "string" ? { hint: quote(hint) } : {}),
      });
    },
    debug: line,
  };
}

/** Long enough for every flaw of a spec. */
const quote = (text: string): string =>
  shorten(maskSecrets(text.slice(0, 2 * MAX_REPORTED_CHARACTERS)), MAX_REPORTED_CHARACTERS);

/** Input that is skipped. A hostile sender could fill the log with it. */
const SKIPPED: readonly string[] = ["not-json", "frame-malformed", "frame-too-large", "input-invalid"];
