// `context`: searches the memory of this run: the notes that its agents share, this agent's own, and those for every run.

import type { JsonValue, MemoryScope, RunMemory } from "../../core/index.js";
import { MAX_CONTEXT_ENTRIES, MAX_CONTEXT_KEYS, MAX_CONTEXT_VALUE_CHARACTERS } from "../limits.js";
import { countMatches, toWords } from "./words.js";

interface Recalled {
  readonly entries: readonly { readonly scope: MemoryScope; readonly key: string; readonly value: JsonValue }[];
  /** The number of all matches. */
  readonly total: number;
}

/** `shared` is first, because it has the answers of earlier agents. */
const SCOPES: readonly MemoryScope[] = ["shared", "agent", "global"];

/** Returns the entries with at least one word of the query, best matches first, or without words all entries. */
export async function context({ query = "" }: { query?: string }, memory: RunMemory): Promise<Recalled> {
  const words = toWords(query);
  const found: (Recalled["entries"][number] & { score: number })[] = [];
  for (const scope of SCOPES) {
    for (const key of (await memory.keys(scope)).slice(0, MAX_CONTEXT_KEYS)) {
      const value = await memory.get(scope, key);
      if (value === undefined) continue;
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const score = countMatches(`${key}\n${text}`, words);
      if (query.trim() === "" || score > 0) found.push({ scope, key, value: bounded(value, text), score });
    }
  }
  found.sort((a, b) => b.score - a.score);
  return {
    entries: found.slice(0, MAX_CONTEXT_ENTRIES).map(({ scope, key, value }) => ({ scope, key, value })),
    total: found.length,
  };
}

function bounded(value: JsonValue, text: string): JsonValue {
  if (text.length <= MAX_CONTEXT_VALUE_CHARACTERS) return value;
  return `${text.slice(0, MAX_CONTEXT_VALUE_CHARACTERS).toWellFormed()} [… ${text.length - MAX_CONTEXT_VALUE_CHARACTERS} more characters]`;
}
