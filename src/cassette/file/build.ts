// Building a version 2 cassette: the hashes of a turn and of the envelope, and the order of keys on disk. Both the recorder
// and the importers go through here, so there is one place that knows what is bound to what.

import { canonicalize, defined, hashJson, sha256Hex, type LlmTurnResponse } from "../../core/index.js";
import type { CassetteEntry, CassetteExtensions, CassetteV2, PromptDelta } from "./format.js";

/** Written into `extensions.createdWith`. Kept equal to package.json by a test. */
export const CREATED_WITH = "playhead/0.1.0";

/** One answered turn, its prompt already hashed. */
export interface BuiltTurn {
  promptHash: string;
  prompt?: PromptDelta;
  response: LlmTurnResponse;
}

/**
 * What a cassette says of itself beside its turns. `recordedAt` is ISO 8601, `cassetteId` 32 hex digits
 * (docs/cassette-format.md).
 */
export interface CassetteHead {
  agentId?: string;
  recordedAt: string;
  recordedProvider: string;
  cassetteId: string;
  extensions?: CassetteExtensions;
}

/** A whole cassette from its head and its turns in order. */
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

/** `responseHash`: the canonical object is written out here, since its keys are known and their order with them. */
export function hashResponse(
  cassetteId: string,
  turnIndex: number,
  promptHash: string,
  response: LlmTurnResponse,
): string {
  const text =
    `{"cassetteId":${canonicalize(cassetteId)},"promptHash":${canonicalize(promptHash)},` +
    `"response":${canonicalize(response)},"turnIndex":${turnIndex}}`;
  return sha256Hex(text);
}

/** `envelopeHash`: every top-level field but `entries`, `envelopeHash` and `signature`, and the digests in order. */
export function hashEnvelope(cassette: CassetteV2): string {
  const { entries, envelopeHash, signature, ...covered } = cassette;
  return hashJson({ ...covered, entryDigests: entries.map((entry) => entry.responseHash) });
}
