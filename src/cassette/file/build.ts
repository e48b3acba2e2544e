// Building a version 2 cassette from its head and its turns, for the recorder and the importers.

import { defined, type JsonObject, type LlmTurnResponse } from "../../core/index.js";
import type { CassetteEntry, CassetteExtensions, CassetteV2, PromptDelta } from "./format.js";
import { hashEnvelope, hashResponse } from "./hashes.js";

/** Written into `extensions.createdWith`. Kept equal to package.json by a test. */
export const CREATED_WITH = "playhead/0.1.0";

/** One answered turn, its prompt already hashed. */
export interface BuiltTurn {
  promptHash: string;
  prompt?: PromptDelta;
  response: LlmTurnResponse;
}

/** The fields of a cassette besides its turns. `recordedAt` is ISO 8601, `cassetteId` 32 hex digits (docs/cassette-format.md). */
export interface CassetteHead {
  agentId?: string;
  recordedAt: string;
  recordedProvider: string;
  cassetteId: string;
  extensions?: CassetteExtensions;
}

export function buildCassette(head: CassetteHead, turns: readonly BuiltTurn[]): CassetteV2 {
  const entries = turns.map((turn, turnIndex) => buildEntry(head.cassetteId, turnIndex, turn));
  const cassette: CassetteV2 = {
    version: 2,
    ...defined({ agentId: head.agentId }),
    recordedAt: head.recordedAt,
    recordedProvider: head.recordedProvider,
    cassetteId: head.cassetteId,
    entries,
    ...defined({ extensions: head.extensions }),
    envelopeHash: "",
  };
  cassette.envelopeHash = hashEnvelope(cassette);
  return cassette;
}

/** The cassette with another outcome. A signature no longer fits, so it is left out. */
export function withOutcome({ signature: _signature, ...cassette }: CassetteV2, outcome: JsonObject): CassetteV2 {
  const changed: CassetteV2 = { ...cassette, extensions: { ...cassette.extensions, outcome } };
  return { ...changed, envelopeHash: hashEnvelope(changed) };
}

function buildEntry(cassetteId: string, turnIndex: number, turn: BuiltTurn): CassetteEntry {
  const { promptHash, prompt, response } = turn;
  return {
    turnIndex,
    promptHash,
    ...defined({ prompt }),
    responseHash: hashResponse(cassetteId, turnIndex, promptHash, response),
    response,
  };
}
