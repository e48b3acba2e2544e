// One JSON request to a vendor and its answer as it arrives. Unlike in json-request.ts, the limit bounds the silence between two pieces.

import { DEFAULT_MAX_STREAM_BYTES } from "../limits.js";
import type { Ports } from "../ports.js";
import { startDeadline, type Deadline } from "./deadline.js";
import { brokenOff, openAnswer, tooLarge, type HttpCall } from "./json-request.js";

/** Sends `call.body` and yields the bytes of the answer. Leaving early closes the connection. */
export async function* postStream(call: HttpCall, ports: Ports): AsyncGenerator<Uint8Array, void, undefined> {
  const deadline = startDeadline({ ...call, bounds: "silence" }, ports);
  try {
    const response = await Promise.race([openAnswer(call, ports, deadline), deadline.reached]);
    if (response.body !== null) yield* readPieces(call, response.body.getReader(), deadline);
  } finally {
    deadline.clear();
  }
}

async function* readPieces(
  call: HttpCall,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  deadline: Deadline,
): AsyncGenerator<Uint8Array, void, undefined> {
  const limit = call.maxBodyBytes ?? DEFAULT_MAX_STREAM_BYTES;
  // Ends a pending read, even if the transport ignores its signal. A body that ended has nothing left to cancel.
  const cancel = () => void reader.cancel().catch(() => undefined);
  deadline.signal.addEventListener("abort", cancel, { once: true });
  let bytes = 0;
  try {
    for (;;) {
      deadline.restart();
      const piece = await readPiece(call, reader, deadline);
      deadline.pause();
      if (piece === undefined) return;
      bytes += piece.byteLength;
      if (bytes > limit) throw tooLarge(`the stream of ${call.providerName}`, limit);
      yield piece;
    }
  } finally {
    deadline.signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** Undefined at the end of the answer. */
async function readPiece(
  call: HttpCall,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  deadline: Deadline,
): Promise<Uint8Array | undefined> {
  let piece: Uint8Array | undefined;
  let failure: unknown;
  try {
    if (deadline.reason() === undefined) ({ value: piece } = (await reader.read()) as { value?: Uint8Array });
    if (piece !== undefined && !ArrayBuffer.isView(piece))
      failure = new TypeError("the body gave something other than bytes");
  } catch (error) {
    failure = error;
  }
  const reason = deadline.reason();
  if (reason !== undefined) throw reason;
  if (failure !== undefined) throw brokenOff(call, failure);
  return piece;
}
