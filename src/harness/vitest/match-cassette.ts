// toMatchCassette: the run behaves exactly as the pinned one did.

import type { Tolerances } from "../../cassette/index.js";
import { cassetteOf } from "./carrier.js";
import { findDifferences, toResult, type Difference } from "./comparison.js";
import { assertOptions, type MatcherResult } from "./matcher.js";
import { loadPinned, type MatcherHost, type Pinned } from "./pinned.js";
import { countText } from "./words.js";

const NAME = "toMatchCassette";

export interface MatchCassetteOptions {
  /** In which ways different arguments count as equal; those that were used stand in the message. Default: in none. */
  readonly tolerances?: Tolerances;
  /** Refuses version 1 cassettes on both sides. Default true. */
  readonly requireIntegrity?: boolean;
}

/** Same calls, same texts, same number of turns. Prompts, tool results, usage and models take no part. */
export function createMatchCassette(host: MatcherHost) {
  return async (received: unknown, pinned: unknown, options?: MatchCassetteOptions): Promise<MatcherResult> => {
    assertOptions(NAME, options, { tolerances: "tolerances", requireIntegrity: "a boolean" });
    const { tolerances, requireIntegrity = true } = options ?? {};
    const cassette = cassetteOf(NAME, received, requireIntegrity);
    const known = await loadPinned(NAME, pinned, requireIntegrity, host);
    const found = findDifferences(NAME, known, cassette, tolerances === undefined ? {} : { tolerances });
    const differences = [...found.differences, ...turnDifference(known, cassette.entries.length)];
    return toResult(known, { ...found, differences }, "its calls, its texts and the number of its turns are the same");
  };
}

function turnDifference({ cassette }: Pinned, turns: number): Difference[] {
  const pinned = cassette.entries.length;
  if (pinned === turns) return [];
  const sentence = `The run took ${countText(turns, "turn")}; the pinned one took ${pinned}.`;
  return [{ sentence, expected: { turns: pinned }, actual: { turns } }];
}
