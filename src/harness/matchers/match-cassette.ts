// toMatchCassette: the run behaves exactly as the pinned one did.

import { defined, plural } from "../../core/index.js";
import type { Tolerances } from "../../cassette/index.js";
import { cassetteOf } from "./carrier.js";
import { findDifferences, toResult, type Difference } from "./baseline/comparison.js";
import type { MatcherHost } from "./host.js";
import { assertOptions, type MatcherContext, type MatcherResult } from "./matcher.js";
import { loadPinned, PIN_KINDS, readPinTerms, type Pinned, type PinOptions } from "./baseline/pinned.js";

const NAME = "toMatchCassette";

/** The options of `toMatchCassette`. */
export interface MatchCassetteOptions extends PinOptions {
  /** In which ways different arguments count as equal; those that were used stand in the message. Default: in none. */
  readonly tolerances?: Tolerances;
}

/** Same calls, same texts, same number of turns. Prompts, tool results, usage and models take no part. */
export function createMatchCassette(host: MatcherHost) {
  return async function (
    this: MatcherContext,
    received: unknown,
    pinned: unknown,
    options?: unknown,
  ): Promise<MatcherResult> {
    assertOptions(NAME, options, { tolerances: "tolerances", ...PIN_KINDS });
    const { tolerances, ...pin } = (options ?? {}) as MatchCassetteOptions;
    const terms = await readPinTerms(NAME, pin, host);
    const cassette = cassetteOf(NAME, received, terms.requireIntegrity);
    const known = await loadPinned(NAME, pinned, terms, host);
    const found = findDifferences(NAME, known, cassette, defined({ tolerances }));
    const differences = [...found.differences, ...turnDifference(known, cassette.entries.length)];
    const same = "its calls, its texts and the number of its turns are the same";
    return toResult(this, known, { ...found, differences }, same);
  };
}

function turnDifference({ cassette }: Pinned, turns: number): Difference[] {
  const pinned = cassette.entries.length;
  if (pinned === turns) return [];
  const sentence = `The run took ${plural(turns, "turn")}; the pinned one took ${pinned}.`;
  return [{ sentence, expected: { turns: pinned }, actual: { turns } }];
}
