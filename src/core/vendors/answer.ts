// Reading a vendor's answer that was collected whole, as a proxy does: JSON, or a stream that has passed by.

import { parseBoundedJson } from "../canon/depth.js";
import { AgentError } from "../errors.js";
import type { LlmStreamDelta, LlmTurnResponse } from "../model/provider.js";
import type { StreamWire } from "../http/fold.js";
import { createStreamDecoder } from "../providers/stream.js";
import { plainDecoding, refuseDropped } from "../http/json-readers.js";

/** The bytes of an answer, and how they came. */
export interface CollectedAnswer {
  bytes: Uint8Array;
  isStream: boolean;
  /** The connection ended before the vendor closed it, so that only a stream which says where it ends can be whole. */
  isCut: boolean;
}

/** For whoever wants to know how a stream came, part by part. */
export interface PassedParts {
  /** Where each part that came ended, in bytes from the start. Empty where nobody knows. */
  readonly ends: readonly number[];
  /** Told of each delta, and which part it came with. */
  take(delta: LlmStreamDelta, part: number): void;
}

const SLICE_BYTES = 64 * 1024;

/** Called with what an answer holds and a response has no place for, such as "citations". */
export type NoteLoss = (what: string) => void;

/** Throws `provider-response` for an error, for what is no answer, and for one that is not whole. */
export function readAnswer(
  answer: CollectedAnswer,
  format: StreamWire,
  passed?: PassedParts,
  note: NoteLoss = () => undefined,
): LlmTurnResponse {
  const decoding = { ...plainDecoding, note };
  if (!answer.isStream) return format.decode(parseWhole(answer), decoding);
  const decoder = createStreamDecoder(format, decoding);
  const ends = passed === undefined || passed.ends.length === 0 ? [answer.bytes.length] : passed.ends;
  let start = 0;
  let part = 0;
  for (; part < ends.length && !decoder.isEnded; part++) {
    const end = Math.min(ends[part] ?? 0, answer.bytes.length);
    // Slice by slice, since what they give is not kept: the deltas of a whole answer take many times its size.
    for (; start < end && !decoder.isEnded; start += SLICE_BYTES) {
      const deltas = decoder.feed(answer.bytes.subarray(start, Math.min(start + SLICE_BYTES, end)));
      for (const delta of deltas) passed?.take(delta, part);
    }
    start = end;
  }
  if (answer.isCut && !decoder.isEnded) throw notWhole(undefined);
  const { deltas, response } = decoder.end();
  for (const delta of deltas) passed?.take(delta, Math.max(0, part - 1));
  return response;
}

function parseWhole({ bytes }: CollectedAnswer): unknown {
  const text = new TextDecoder().decode(bytes);
  let json: unknown;
  try {
    json = parseBoundedJson(text);
  } catch (cause) {
    throw notWhole(cause);
  }
  refuseDropped(text, plainDecoding);
  return json;
}

function notWhole(cause: unknown): AgentError {
  return new AgentError("provider-response", "the answer broke off before it was whole, or is not JSON", { cause });
}
