// A fair order if there are more mutants than time. Wherever the list is cut, every file and every kind gets its share.

import { hashJson } from "../../core/index.js";
import { MUTANT_KINDS, type Mutant } from "./mutant.js";

/**
 * Sorts mutants so that the first N are a fair sample for any N. It takes one of each file in turn, and changes the kind from round to
 * round. Within a file and kind, the seed decides the order.
 */
export function inTurns(mutants: readonly Mutant[], seed: string): Mutant[] {
  const byFile = new Map<string, Mutant[]>();
  for (const mutant of mutants) {
    const own = byFile.get(mutant.file);
    if (own === undefined) byFile.set(mutant.file, [mutant]);
    else own.push(mutant);
  }
  const files = [...byFile.values()].map((own) => createQueue(own, seed));
  const order: Mutant[] = [];
  for (let round = 0; order.length < mutants.length; round++) {
    files.forEach((queue, place) => {
      const next = queue((round + place) % MUTANT_KINDS.length);
      if (next !== undefined) order.push(next);
    });
  }
  return order;
}

/** Gives the next mutant of a kind, or of the first kind after it that has one left. */
function createQueue(mutants: readonly Mutant[], seed: string): (kindIndex: number) => Mutant | undefined {
  const shuffled = mutants
    .map((mutant) => ({ mutant, rank: hashJson([seed, mutant.id]) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ mutant }) => mutant);
  // Taken from the end, without moving the others.
  const queues = MUTANT_KINDS.map((kind) => shuffled.filter((mutant) => mutant.kind === kind));
  return (kindIndex) => {
    for (let step = 0; step < queues.length; step++) {
      const next = queues[(kindIndex + step) % queues.length]?.pop();
      if (next !== undefined) return next;
    }
    return undefined;
  };
}
