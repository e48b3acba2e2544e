// Finds calls that the new run repeats: an added call with an equal in the same turn, or in the neighbouring turn with calls.

import type { Match } from "../align/match.js";
import type { Item, ItemSet } from "../align/sets.js";

/** Gives for each added item that repeats another one the old run's partner of that other one. */
export function findRetries<T extends Item>(matches: readonly Match<T>[], now: readonly ItemSet<T>[]): Map<T, T> {
  const partners = new Map<T, T>();
  const added = new Set<T>();
  for (const match of matches) {
    if (match.kind === "added") added.add(match.new);
    else if (match.kind !== "removed" && match.old.key === match.new.key) partners.set(match.new, match.old);
  }
  const retries = new Map<T, T>();
  const originOf = (set: ItemSet<T> | undefined, key: string): T | undefined => {
    for (const item of set ?? []) {
      const origin = item.key === key ? (partners.get(item) ?? retries.get(item)) : undefined;
      if (origin !== undefined) return origin;
    }
    return undefined;
  };
  const look = (index: number, neighbour: number): void => {
    for (const item of now[index] ?? []) {
      if (!added.has(item) || retries.has(item)) continue;
      const origin = originOf(now[index], item.key) ?? originOf(now[neighbour], item.key);
      if (origin !== undefined) retries.set(item, origin);
    }
  };
  for (let index = 0; index < now.length; index++) look(index, index - 1);
  for (let index = now.length - 1; index >= 0; index--) look(index, index + 1);
  return retries;
}
