// What to type to see a report again, and to accept what it found.

import type { DriftOptions } from "./drift-options.js";

/** The same comparison: the same sides, and every setting that decides its result. */
export function reproduceCommand(base: string, candidate: string, options: DriftOptions): string {
  const { failOn, onInconclusive, alpha, minRuns, seed, success, ignore, readOnly, order, content, sharedOnly } =
    options;
  const words = [
    ...setting("--fail-on", failOn.join(",") || "none", "regression,drift"),
    ...setting("--on-inconclusive", onInconclusive, "pass"),
    ...setting("--alpha", String(alpha), "0.05"),
    ...setting("--min-runs", String(minRuns), "2"),
    ...setting("--seed", String(seed), "1"),
    ...(success === undefined ? [] : ["--success", success]),
    ...ignore.flatMap((place) => ["--ignore", place]),
    ...readOnly.flatMap((tool) => ["--read-only", tool]),
    ...setting("--order", order, "strict"),
    ...(content === true ? ["--content"] : []),
    ...(sharedOnly === true ? ["--shared-only"] : []),
  ];
  return ["cassette", "drift", base, candidate, ...words].map(quote).join(" ");
}

export function blessCommand(base: string, candidate: string): string {
  return `cassette bless ${quote(candidate)} --into ${quote(base)} --reason "…"`;
}

function setting(flag: string, value: string, usual: string): string[] {
  return value === usual ? [] : [flag, value];
}

/** As a POSIX shell reads it. */
function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
