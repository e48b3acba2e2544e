// Replies of ours and answers of a vendor as `Response` objects that MSW can hand to a client.

import type { WireBody, WireReply } from "../../wire/reply.js";

/** A reply, its parts one after the other where it has parts. */
export function toResponse({ status, headers, body }: WireReply): Response {
  const init = { status, headers: { ...headers } };
  return new Response(typeof body === "string" ? body : toStream(body), init);
}

function toStream(parts: Exclude<WireBody, string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = (async function* () {
    for await (const part of parts) yield typeof part === "string" ? encoder.encode(part) : part;
  })();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await iterator.return(undefined);
    },
  });
}

/** Of the way the bytes came, and no longer true of bytes that were unpacked. */
const OF_THE_WAY = ["content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"];

/** The vendor's refusal as it came, read whole. */
export async function readWhole(answer: Response): Promise<{ response: Response; bytes: Uint8Array }> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  // A status that forbids a body must not get one.
  return { response: new Response(bytes.length === 0 ? null : separable(bytes), headOf(answer)), bytes };
}

/** A body that fails after its bytes, as if the connection broke. Its copies do too, after all of them. */
export function cutBody(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isSent = bytes.length === 0;
  // An error drops what waits to be read, so nothing is made ahead of a read.
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (isSent) controller.error(new TypeError("terminated: the recorded answer was cut here"));
        else controller.enqueue(bytes.slice());
        isSent = true;
      },
    },
    { highWaterMark: 0 },
  );
  return Object.assign(stream, { tee: () => [cutBody(bytes), cutBody(bytes)] });
}

/**
 * A body whose copies know nothing of each other. Clients cancel a refusal before they try again; MSW 2 has copied it by then, and
 * half of an ordinary copy waits until the other half, which nobody reads, is cancelled too. Node 26 copies without asking.
 */
export function separable(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const stream = new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice());
      controller.close();
    },
  });
  return Object.assign(stream, { tee: () => [separable(bytes), separable(bytes)] });
}

/** The vendor's answer as it came, with `body` in the place of its own. */
export function withBody(answer: Response, body: ReadableStream<Uint8Array> | null): Response {
  return new Response(body === null ? null : leavable(body), headOf(answer));
}

/**
 * A body, and copies of it, that a client can leave at once. Some clients cancel a stream after its last event and wait for that.
 * Half of an ordinary copy waits until the other half is cancelled too, and nobody reads the one of MSW 2.
 */
function leavable(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await reader.read();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel(reason) {
      reader.cancel(reason).catch(() => undefined);
    },
  });
  const tee = (): ReadableStream<Uint8Array>[] => ReadableStream.prototype.tee.call(stream).map(leavable);
  return Object.assign(stream, { tee });
}

function headOf({ status, statusText, headers }: Response): ResponseInit {
  const kept = new Headers(headers);
  for (const name of OF_THE_WAY) kept.delete(name);
  return { status, statusText, headers: kept };
}
