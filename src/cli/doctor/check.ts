// One check of `cassette doctor`, with its result.

/** `warn` deserves attention and breaks nothing, `fail` breaks something. */
export type CheckStatus = "ok" | "warn" | "fail";

/** Closed; scripts may rely on the words. */
type CheckName =
  "node" | "mode" | "overlay" | "keys" | "peers" | "cassettes" | "versions" | "lock" | "trust" | "orphans" | "bundles";

export interface Check {
  name: CheckName;
  status: CheckStatus;
  message: string;
  /** What to do; absent if the status is `ok`. */
  hint?: string;
}

export function ok(name: CheckName, message: string): Check {
  return { name, status: "ok", message };
}

export function warn(name: CheckName, message: string, hint: string): Check {
  return { name, status: "warn", message, hint };
}

export function fail(name: CheckName, message: string, hint: string): Check {
  return { name, status: "fail", message, hint };
}

const SHOWN = 5;

/** "changed: a, b" for each list that is not empty. */
export function partsOf(lists: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(lists).flatMap(([what, names]) => (names.length === 0 ? [] : [`${what}: ${some(names)}`]));
}

/** "a, b and 3 more". */
export function some(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).join(", ");
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}
