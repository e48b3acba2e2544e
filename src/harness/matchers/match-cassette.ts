// toMatchCassette: the run behaves exactly like the pinned one.

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
  /** Differences in arguments that count as equal. The message lists those that were used. Default: none. */
  readonly tolerances?: Tolerances;
}

/** Compares calls, texts and the number of turns. Ignores prompts, tool results, usage and models. */
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
    const same = "its calls, texts and number of turns are the same";
    return toResult(this, known, { ...found, differences }, same);
  };
}

function turnDifference({ cassette }: Pinned, turns: number): Difference[] {
  const pinned = cassette.entries.length;
  if (pinned === turns) return [];
  const sentence = `The run took ${plural(turns, "turn")}, and the pinned run took ${pinned}.`;
  return [{ sentence, expected: { turns: pinned }, actual: { turns } }];
}
