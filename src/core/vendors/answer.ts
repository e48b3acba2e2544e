// Reads an answer that was collected whole, as a proxy does: JSON, or a stream that has ended.

import { parseBoundedJson } from "../canon/bounded-json.js";
import { AgentError } from "../errors.js";
import type { LlmStreamDelta, LlmTurnResponse } from "../model/provider.js";
import type { StreamWire } from "../http/fold.js";
import { createStreamDecoder } from "../providers/stream.js";
import { plainDecoding, refuseDropped } from "../http/json-readers.js";

export interface CollectedAnswer {
  bytes: Uint8Array;
  isStream: boolean;
  /** The connection broke before the vendor closed it, so that only a stream with an end mark can be whole. */
  isCut: boolean;
}

export interface PassedParts {
  /** The end of each part, in bytes from the start. Empty if unknown. */
  readonly ends: readonly number[];
  take(delta: LlmStreamDelta, part: number): void;
}

const SLICE_LENGTH = 64 * 1024;

/** Called with a kind of content that a response has no place for, such as "citations". */
export type NoteLoss = (what: string) => void;

/** Throws `provider-response` for an error, for an answer that is not whole, and for anything else. */
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
  for (; part < ends.length && !decoder.isEnded(); part++) {
    const end = Math.min(ends[part] ?? 0, answer.bytes.length);
    // Slice by slice, since the deltas of a whole answer take many times its size.
    for (; start < end && !decoder.isEnded(); start += SLICE_LENGTH) {
      const deltas = decoder.feed(answer.bytes.subarray(start, Math.min(start + SLICE_LENGTH, end)));
      for (const delta of deltas) passed?.take(delta, part);
    }
    start = end;
  }
  if (answer.isCut && !decoder.isEnded()) throw notWhole(undefined);
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
