// The mutants to run, and what their trials say together.

import type { CassetteV2 } from "../../cassette/index.js";
import { inTurns, listMutants, MAX_MUTANTS_PER_CASSETTE, type Mutant, type MutantKind } from "../../harness/index.js";
import { EXIT } from "../exit-codes.js";
import type { Member } from "./suite.js";
import type { Trial } from "./trial.js";

/** All possible mutants, one cassette after the other. */
export function createMutantList(seed: string, kinds: readonly MutantKind[]) {
  const all: Mutant[] = [];
  const cut: string[] = [];
  const visit = ({ file }: Pick<Member, "file">, cassette: CassetteV2): void => {
    const mutants = listMutants(cassette, { file, seed, kinds });
    if (mutants.length === MAX_MUTANTS_PER_CASSETTE) cut.push(file);
    for (const mutant of mutants) all.push(mutant);
  };
  return { all, cut, visit };
}

export function choose(all: readonly Mutant[], seed: string, max: number): Mutant[] {
  return inTurns(all, seed).slice(0, max);
}

/** Fails if no mutant was noticed and none survived. */
export function judge(trials: ReadonlyMap<string, Trial>): number {
  const outcomes = new Set([...trials.values()].map(({ outcome }) => outcome));
  if (outcomes.has("survived")) return EXIT.drift;
  return outcomes.has("noticed") ? EXIT.ok : EXIT.failed;
}
