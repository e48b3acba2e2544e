// A cassette with other turns and new hashes, for cassettes that are wrong on purpose. It was never recorded, so it is unsigned.

import { buildCassette, type BuiltTurn } from "../file/build.js";
import type { CassetteV2 } from "../file/format.js";
import { createPromptChain } from "./prompt-delta.js";

/** A turn before it is hashed. Without `prompt` its `promptHash` is kept. */
export type UnsealedTurn = BuiltTurn;

/** The cassette with other turns and new hashes. Throws `NotJsonError` for turns that are not plain JSON. */
export function resealCassette(cassette: CassetteV2, turns: readonly UnsealedTurn[]): CassetteV2 {
  const { entries, envelopeHash, signature, version, ...head } = cassette;
  const chain = createPromptChain();
  const sealed = turns.map(({ promptHash, prompt, response }): BuiltTurn => {
    if (prompt === undefined) return { promptHash, response };
    return { promptHash: chain.advance(prompt.keep, prompt.messages), prompt, response };
  });
  return buildCassette(head, sealed);
}
