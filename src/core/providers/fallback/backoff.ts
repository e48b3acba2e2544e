// The wait of a fallback chain before it tries the same provider again. It is not random: options and errors alone determine it.

import { unknownOptions } from "../../options.js";
import { showValue } from "../../text/show.js";

/** `linear` waits base, 2 base, 3 base …, `exponential` base, 2 base, 4 base …, and neither more than `maxMs`. */
export interface Backoff {
  readonly kind: "exponential" | "linear";
  readonly baseMs: number;
  readonly maxMs: number;
}

/** The wait after failure number `failures` (1, 2, 3 …), at least as long as the vendor wants. */
export function waitAfter(failures: number, backoff: Backoff | undefined, retryAfterMs = 0): number {
  if (backoff === undefined) return retryAfterMs;
  const { kind, baseMs, maxMs } = backoff;
  const factor = kind === "linear" ? failures : 2 ** (failures - 1);
  return Math.max(retryAfterMs, Math.min(maxMs, baseMs * factor));
}

const BACKOFF_OPTIONS = ["kind", "baseMs", "maxMs"];

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
  return isWait(baseMs) && isWait(maxMs) ? "" : "backoff.baseMs and backoff.maxMs must be finite numbers of 0 or more";
}
