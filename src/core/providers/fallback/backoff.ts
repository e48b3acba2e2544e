// How long a fallback chain waits before it asks the same provider again. Without chance in it: what was slept can be told
// from the options and the errors alone.

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

/** What is wrong with a backoff, or "". */
export function backoffProblem(backoff: Backoff | undefined): string {
  if (backoff === undefined) return "";
  const { kind, baseMs, maxMs } = backoff;
  const kinds: readonly unknown[] = ["exponential", "linear"];
  if (!kinds.includes(kind)) return `backoff.kind is "${kind}": use "exponential" or "linear"`;
  const isWait = (ms: unknown) => typeof ms === "number" && Number.isFinite(ms) && ms >= 0;
  return isWait(baseMs) && isWait(maxMs) ? "" : "backoff.baseMs and backoff.maxMs are finite numbers of 0 or more";
}
