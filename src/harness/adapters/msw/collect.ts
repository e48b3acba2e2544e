// Reads our copy of an answer while the client reads its own.

import { CassetteError, MAX_RECORDED_BODY_BYTES } from "../../../cassette/index.js";
import type { PassedPart } from "../../wire/passed-answer.js";

/** The bytes of an answer, and the error of the transport if it broke off. */
export interface Collected {
  readonly bytes: Uint8Array;
  readonly parts: readonly PassedPart[];
  readonly cut: unknown;
}

/** Throws `not-recordable` above the limit. */
export async function collect(copy: ReadableStream<Uint8Array> | null, now: () => number): Promise<Collected> {
  const chunks: Uint8Array[] = [];
  const parts: PassedPart[] = [];
  let size = 0;
  let cut: unknown;
  const reader = copy?.getReader();
  const next = () => reader?.read().catch((error: unknown) => void (cut = error ?? new Error("the answer broke off")));
  for (let part = await next(); part !== undefined && !part.done; part = await next()) {
    size += part.value.length;
    if (size > MAX_RECORDED_BODY_BYTES) {
      void reader?.cancel().catch(() => undefined);
      const why = `an answer has more than ${MAX_RECORDED_BODY_BYTES} bytes and was not kept`;
      throw new CassetteError("not-recordable", why);
    }
    chunks.push(part.value);
    parts.push({ end: size, at: now() });
  }
  const bytes = new Uint8Array(size);
  for (const chunk of chunks.toReversed()) bytes.set(chunk, (size -= chunk.length));
  return { bytes, parts, cut };
}
