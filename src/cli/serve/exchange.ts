// Answers a request from the recorded exchanges, before its turns: a turn that the vendor refused is an exchange too.

import { setImmediate } from "node:timers/promises";
import { CassetteError, type PlainRequest, type Shelf } from "../../cassette/index.js";
import { servedExchange } from "../../harness/index.js";
import type { HttpReply, HttpRequest } from "../../host/index.js";

export function plainOf({ method, path, search, headers }: HttpRequest, body: Uint8Array): PlainRequest {
  return { method, url: `${path}${search}`, type: headers["content-type"], body };
}

/** The recorded answer. Undefined if there is none. Throws `file-not-found` for an unknown `pin`. */
export function replyFromExchange(
  shelf: Shelf,
  request: PlainRequest,
  nameOf: (file: string) => string,
  pin?: string,
): HttpReply | undefined {
  const found = find(shelf, request, pin);
  if (found === undefined) return undefined;
  const { isCut, body, ...head } = servedExchange(found, nameOf);
  return { ...head, body: isCut ? cut(body) : body };
}

/** A body beyond the limit of exchanges may still be that of a turn. */
function find(shelf: Shelf, request: PlainRequest, pin: string | undefined) {
  try {
    return shelf.exchange(request, pin);
  } catch (error) {
    if (error instanceof CassetteError && error.code === "not-recordable") return undefined;
    throw error;
  }
}

/** Sends the bytes and breaks the connection. */
async function* cut(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
  await setImmediate();
  throw new Error("the recorded answer was cut here");
}
