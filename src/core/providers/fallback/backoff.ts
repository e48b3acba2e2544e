// How long a fallback chain waits before it asks the same provider again. Without chance in it: what was slept can be told
// from the options and the errors alone.

import { unknownOptions } from "../../options.js";
import { showValue } from "../../text/show.js";

/** `linear` waits base, 2 base, 3 base …; `exponential` base, 2 base, 4 base …; neither more than `maxMs`. */
export interface Backoff {
  readonly kind: "exponential" | "linear";
  readonly baseMs: number;
  readonly maxMs: number;
}

/** The wait after failure number `failures` (1, 2, 3 …), and at least what the vendor asked for. */
export function waitAfter(failures: number, backoff: Backoff | undefined, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, backoff === undefined ? 0 : Math.min(backoff.maxMs, grow(failures, backoff)));
}

function grow(failures: number, { kind, baseMs }: Backoff): number {
  switch (kind) {
    case "linear":
      return baseMs * failures;
    case "exponential":
      return baseMs * 2 ** (failures - 1);
  }
}

const BACKOFF_OPTIONS = ["kind", "baseMs", "maxMs"];

/** What is wrong with a backoff, or "". */
export function backoffProblem(backoff: unknown): string {
  if (backoff === undefined) return "";
  if (typeof backoff !== "object" || backoff === null)
    return `backoff is ${showValue(backoff)}: give { kind, baseMs, maxMs }`;
  const unknown = unknownOptions(backoff, BACKOFF_OPTIONS);
  if (unknown.length > 0)
    return `backoff has an unknown option ${unknown.join(", ")} (there are ${BACKOFF_OPTIONS.join(", ")})`;
  const { kind, baseMs, maxMs } = backoff as Partial<Record<string, unknown>>;
  if (kind !== "exponential" && kind !== "linear") {
    return `backoff.kind is ${showValue(kind)}: use "exponential" or "linear"`;
  }
  const isWait = (ms: unknown) => typeof ms === "number" && Number.isFinite(ms) && ms >= 0;
  return isWait(baseMs) && isWait(maxMs) ? "" : "backoff.baseMs and backoff.maxMs are finite numbers of 0 or more";
}
