// Which turns of a cassette does a chain of receipts speak of? By the hash of the response, each receipt for one turn.

import { hashJson, type LlmTurnResponse, type Receipt } from "../../core/index.js";

/** `uncovered` are turn indexes. */
export interface Coverage {
  turns: number;
  uncovered: number[];
}

/** Two turns with one answer need two receipts. */
export function coverTurns(responses: readonly LlmTurnResponse[], chain: readonly Receipt[]): Coverage {
  const left = new Map<string, number>();
  for (const { body } of chain) {
    if (body.kind !== "turn" || body.responseHash === null) continue;
    left.set(body.responseHash, (left.get(body.responseHash) ?? 0) + 1);
  }
  const uncovered: number[] = [];
  responses.forEach((response, turnIndex) => {
    const hash = hashJson(response);
    const receipts = left.get(hash) ?? 0;
    if (receipts === 0) uncovered.push(turnIndex);
    else left.set(hash, receipts - 1);
  });
  return { turns: responses.length, uncovered };
}
