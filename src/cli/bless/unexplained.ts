// Cassettes of a baseline without a reason, although others have one: recorded there by hand, or left by an interrupted bless.

import type { Acceptance } from "../../cassette/index.js";

const MAX_NAMED = 5;

/** Names below the baseline's folder. */
export function findUnexplained(names: readonly string[], lines: readonly Acceptance[]): string[] {
  const explained = new Set(lines.map(({ path }) => path));
  return names.filter((name) => !explained.has(name));
}

/** "2 cassettes have no reason in accepted.jsonl: a.0.cassette.json, b.0.cassette.json". */
export function unexplainedText(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  const named = [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])];
  const who = names.length === 1 ? "1 cassette has" : `${names.length} cassettes have`;
  return `${who} no reason in accepted.jsonl: ${named.join(", ")}`;
}
