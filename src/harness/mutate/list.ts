// All mutants of a cassette, in the order of the file.

import { hashJson, sha256Hex } from "../../core/index.js";
import type { CassetteV2 } from "../../cassette/index.js";
import { MAX_MUTANTS_PER_CASSETTE } from "../limits.js";
import { MUTANT_KINDS, type Candidate, type Choose, type Mutant, type MutantOptions } from "./mutant.js";
import { promptCandidates } from "./prompts.js";
import { responseCandidates } from "./responses.js";

/** Lists at most {@link MAX_MUTANTS_PER_CASSETTE}; a list of that length may be cut. Same cassette and options, same list. */
export function listMutants(cassette: CassetteV2, options: MutantOptions): Mutant[] {
  const mutants: Mutant[] = [];
  for (const candidate of candidates(cassette, options)) {
    mutants.push(toMutant(candidate, options.file));
    if (mutants.length === MAX_MUTANTS_PER_CASSETTE) break;
  }
  return mutants;
}

export function* candidates(
  cassette: CassetteV2,
  { seed, file, kinds = MUTANT_KINDS }: MutantOptions,
): Generator<Candidate> {
  const choose: Choose = (name, length) => {
    if (length <= 1) return 0;
    return Number.parseInt(sha256Hex(JSON.stringify([seed, file, name])).slice(0, 12), 16) % length;
  };
  const wanted = new Set(kinds);
  yield* promptCandidates(cassette, wanted, choose);
  yield* responseCandidates(cassette, wanted, choose);
}

/** Adds the id to a mutant: a hash of everything that distinguishes two changes of one file. */
export function toMutant({ edit, ...change }: Candidate, file: string): Mutant {
  const { kind, pointer, old } = change;
  const now = change.new === undefined ? [] : [change.new];
  return { id: hashJson([file, kind, pointer, old, now]).slice(0, 12), file, ...change };
}
