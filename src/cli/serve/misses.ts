// The misses of a server, counted.

import type { ServedMiss } from "./handler.js";

/** A client that tries again repeats its miss. Equal misses are counted as one. */
export type CountedMiss = ServedMiss & { count: number };

/** Returns true for a miss that differs from those before in more than its turn. */
export function addMiss(misses: CountedMiss[], miss: ServedMiss): boolean {
  const same = misses.find((other) => withoutTurn(other) === withoutTurn(miss));
  if (same === undefined) misses.push({ ...miss, count: 1 });
  else same.count++;
  return same === undefined;
}

function withoutTurn({ message }: ServedMiss): string {
  return message.replace(/^turn \d+: /, "");
}
