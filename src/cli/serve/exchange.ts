// Answers a request from the recorded exchanges, before its turns: a turn that the vendor refused is an exchange too.

import { setImmediate } from "node:timers/promises";
import type { PlainRequest, Shelf } from "../../cassette/index.js";
import { servedExchange } from "../../harness/index.js";
import type { HttpReply, HttpRequest } from "../../host/index.js";

export function plainOf({ method, path, search, headers }: HttpRequest, body: Uint8Array): PlainRequest {
  return { method, url: `${path}${search}`, type: headers["content-type"], body };
}

/** The recorded answer, or undefined. Throws `file-not-found` for an unknown `pin`. */
export function replyFromExchange(
  shelf: Shelf,
  request: PlainRequest,
  nameOf: (file: string) => string,
  pin?: string,
): HttpReply | undefined {
  const found = shelf.exchange(request, pin);
  if (found === undefined) return undefined;
  const { isCut, body, ...head } = servedExchange(found, nameOf);
  return { ...head, body: isCut ? cut(body) : body };
}

/** Sends the bytes and breaks the connection. */
async function* cut(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
  await setImmediate();
  throw new Error("the recorded answer was cut here");
}
