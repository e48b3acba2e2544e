// Calls of tools that only read have no order across neighbouring turns. Both runs are normalised, so a diff stays symmetric.

import { CassetteError } from "../errors.js";
import type { Item, ItemSet } from "./align/sets.js";

/** Parses names in which `*` stands for any text into a test for tools. Throws "invalid-options" for an empty name. */
export function parseReadOnly(names: readonly string[]): (tool: string) => boolean {
  if (names.some((name) => typeof name !== "string" || name === "")) {
    throw new CassetteError("invalid-options", "readOnly: every name must be a non-empty string", {
      hint: 'Give names of tools, such as "search" or "get_*".',
    });
  }
  const patterns = names.map((name) => name.split("*"));
  return (tool) => patterns.some((parts) => fits(parts, tool));
}

/** True if the text starts with the first part, ends with the last, and has the others in order in between. */
function fits(parts: readonly string[], text: string): boolean {
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return from <= text.length - last.length;
}

/** Joins consecutive turns that only read into one set. Any other call keeps turns apart. */
export function joinReadOnly<T extends Item>(
  sets: readonly ItemSet<T>[],
  isReadOnly: (tool: string) => boolean,
  compare: (a: T, b: T) => number,
): ItemSet<T>[] {
  const joined: T[][] = [];
  let open: { set: T[]; turn: number } | undefined;
  for (const set of sets) {
    const turn = set[0]?.turn ?? 0;
    const onlyReads = set.every(({ name }) => isReadOnly(name));
    if (onlyReads && open !== undefined && turn === open.turn + 1) {
      open.set.push(...set);
      open.turn = turn;
      continue;
    }
    const own = [...set];
    joined.push(own);
    open = onlyReads ? { set: own, turn } : undefined;
  }
  return joined.map((set) => set.sort(compare));
}
