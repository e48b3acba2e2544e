// The hashes that bind the parts of a cassette to each other. `promptHash` is in prompt/prompt-hash.ts, since prompts are deltas.

import { canonicalize, hashJson, sha256Hex, type LlmTurnResponse } from "../../core/index.js";
import type { CassetteV2 } from "./format.js";

/** `responseHash`. Its canonical object is written out here, since its keys and their order are known. */
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

/** `envelopeHash`: covers every top-level field but `entries`, `envelopeHash` and `signature`, and the digests in order. */
export function hashEnvelope(cassette: CassetteV2): string {
  const { entries, envelopeHash, signature, ...covered } = cassette;
  return hashJson({ ...covered, entryDigests: entries.map((entry) => entry.responseHash) });
}
