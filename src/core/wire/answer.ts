// Reading a vendor's answer that was collected whole, as a proxy does: JSON, or a stream that has passed by.

import { parseBoundedJson } from "../canon/depth.js";
import { AgentError } from "../errors.js";
import type { LlmTurnResponse } from "../model/provider.js";
import type { StreamWire } from "../providers/fold.js";
import { createStreamDecoder } from "../providers/stream.js";
import { plainDecoding } from "../providers/wire.js";

/** The bytes of an answer, and how they came. */
export interface CollectedAnswer {
  bytes: Uint8Array;
  isStream: boolean;
  /** The connection ended before the vendor closed it, so that only a stream which says where it ends can be whole. */
  isCut: boolean;
}

const SLICE_BYTES = 64 * 1024;

/** Throws `provider-response` for an error, for what is no answer, and for one that is not whole. */
export function readAnswer(
  answer: CollectedAnswer,
  stream: StreamWire,
  decode: (body: unknown) => LlmTurnResponse,
): LlmTurnResponse {
  if (!answer.isStream) return decode(parseWhole(answer));
  const decoder = createStreamDecoder(stream, plainDecoding);
  // Slice by slice, since what they give is not kept: the deltas of a whole answer take many times its size.
  for (let start = 0; start < answer.bytes.length && !decoder.isEnded; start += SLICE_BYTES) {
    decoder.feed(answer.bytes.subarray(start, start + SLICE_BYTES));
  }
  if (answer.isCut && !decoder.isEnded) throw notWhole(undefined);
  return decoder.end().response;
}

function parseWhole({ bytes }: CollectedAnswer): unknown {
  try {
    return parseBoundedJson(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw notWhole(cause);
  }
}

function notWhole(cause: unknown): AgentError {
  return new AgentError("provider-response", "the answer broke off before it was whole, or is not JSON", { cause });
}
