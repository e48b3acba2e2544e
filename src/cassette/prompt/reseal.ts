// A cassette with other turns under the same head, and every hash computed anew. What comes out is a valid cassette that nobody
// recorded, so it has no signature: for cassettes that are made to be wrong on purpose.

import type { LlmTurnResponse } from "../../core/index.js";
import { buildCassette } from "../file/build.js";
import type { CassetteV2, PromptDelta } from "../file/format.js";
import { createPromptChain } from "./prompt.js";

/** A turn before it is hashed. Without `prompt` its `promptHash` is kept as it is. */
export interface UnsealedTurn {
  promptHash: string;
  prompt?: PromptDelta;
  response: LlmTurnResponse;
}

/**
 * The cassette with its turns replaced and every hash made anew. Throws `NotJsonError` for turns that are no plain
 * JSON.
 */
export function resealCassette(cassette: CassetteV2, turns: readonly UnsealedTurn[]): CassetteV2 {
  const { entries, envelopeHash, signature, version, ...head } = cassette;
  const chain = createPromptChain();
  return buildCassette(
    head,
    turns.map(({ promptHash, prompt, response }) => {
      if (prompt === undefined) return { promptHash, response };
      return { promptHash: chain.advance(prompt.keep, prompt.messages), prompt, response };
    }),
  );
}
