// What to type to see a report again, and to accept what it found.

import type { DriftOptions } from "./drift-options.js";
import { quote } from "../shell.js";

/** The same comparison: the same sides, and every setting that decides its result, with the files that were found unasked. */
export function reproduceCommand(base: string, candidate: string, options: DriftOptions, found: FoundFiles): string {
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
    ...fileFlag("tolerances", options.tolerances, found.tolerances),
    ...fileFlag("rules", options.rules, found.rules),
  ];
  return ["cassette", "drift", base, candidate, ...words].map(quote).join(" ");
}

/** The files that a comparison rests on besides the recordings. */
export interface FoundFiles {
  tolerances?: string;
  rules?: string;
}

export function blessCommand(base: string, candidate: string): string {
  return `cassette bless ${quote(candidate)} --into ${quote(base)} --reason "…"`;
}

function fileFlag(name: string, flag: string | false | undefined, found: string | undefined): string[] {
  if (flag === false) return [`--no-${name}`];
  return found === undefined ? [] : [`--${name}`, found];
}

function setting(flag: string, value: string, usual: string): string[] {
  return value === usual ? [] : [flag, value];
}
