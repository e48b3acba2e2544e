// The replay server as a function from requests to replies.

import { CassetteError, type MissReport, type Shelf } from "../../cassette/index.js";
import { AgentError, defined, wireOf } from "../../core/index.js";
import {
  HELD,
  nameOutside,
  PIN_HEADER,
  readTurn,
  refusalReply,
  shelfReply,
  type OutsideRequest,
  type Refusal,
  type ServedStreaming,
} from "../../harness/index.js";
import type { HttpHandler, HttpReply, HttpRequest } from "../../host/index.js";

/** For a client of other APIs, such as embeddings. */
export const OWN_BASE = "Give a client of other APIs the vendor's base URL, so that only turns come here.";

/** For a request that continues a thread. It follows the method and the path. */
export const SENT_AGAIN =
  "continues a conversation on the vendor's server (thread), which no recording holds. toolRunner and beta.messages.thread " +
  "of @anthropic-ai/sdk now send the whole conversation by themselves: nothing to do.";

/** A request that no recorded turn answers. */
export interface ServedMiss {
  code: string;
  message: string;
  file?: string;
}

/** A request that cannot be answered: another path, or a body that is not a turn. */
export interface RefusedRequest extends OutsideRequest {
  readonly status: number;
  readonly code: string;
}

/** Called for every request, before the reply goes out. */
export interface ServeWatcher {
  answered(): void;
  missed(miss: ServedMiss): void;
  refused(request: RefusedRequest, why: string): void;
  /** Called for a refused request that its client sends again in another form. */
  noted(why: string): void;
}

const RECORD_AGAIN =
  "Undo the change, or record again (npx playhead record --proxy --refresh) and review the new cassette.";

/** The difference of a miss that a new recording does not fix. A number may be an intended change. */
const CHANGES_BY_ITSELF = /; the two differ only in (?!a number$)/;
const FIX_VALUE =
  "A new recording would miss again on another day or run: give the client a fixed value, such as a date from a variable of the test.";

/** Hints about a miss for clients that do not use our library. */
const TO_DO: Readonly<Record<MissReport["code"], string>> = {
  "prompt-changed": RECORD_AGAIN,
  "tools-changed": RECORD_AGAIN,
  "settings-changed": RECORD_AGAIN,
  "filter-one-sided": RECORD_AGAIN,
  "redaction-one-sided": RECORD_AGAIN,
  "redacted-argument": "Start cassette serve with --allow-redacted if the client's tools accept a placeholder.",
  exhausted: "Each recorded turn answers once: restart cassette serve for a second run, or record a longer one.",
  "exchange-missing": RECORD_AGAIN,
  "exchange-changed": RECORD_AGAIN,
  unconsumed: RECORD_AGAIN,
  "tool-drift": RECORD_AGAIN,
};

/** Answers only from `shelf`. `nameOf` gives the public name of a cassette's file, since clients must not see its path. */
export function serveHandler(
  shelf: Shelf,
  watcher: ServeWatcher,
  nameOf: NameOf,
  streaming: ServedStreaming,
): HttpHandler {
  return async (request) => {
    const { method, path, signal } = request;
    const wire = wireOf(request);
    const refuse = (refusal: Refusal): HttpReply => {
      const { status, code, message } = refusal;
      watcher.refused({ method, path, status, code }, message);
      return refusalReply(refusal, wire);
    };
    if (wire === undefined) return refuse(unknownPath(request));
    const read = await readBytes(request);
    if ("refusal" in read) return refuse(read.refusal);
    const parsed = readTurn(wire, read.bytes, path);
    if ("held" in parsed) {
      if (!parsed.isRecoverable) return refuse(parsed.held);
      watcher.noted(`${method} ${path} ${SENT_AGAIN}`);
      return refusalReply(parsed.held, wire);
    }
    if ("refusal" in parsed) return refuse(parsed.refusal);
    try {
      const pin = defined({ pin: pinOf(request) });
      const reply = await shelfReply(wire, parsed.turn, { shelf, nameOf, streaming, signal, ...pin });
      watcher.answered();
      return reply;
    } catch (error) {
      if (error instanceof CassetteError) return refusalReply(toMiss(error, watcher, nameOf), wire);
      if (error instanceof AgentError) return refuse({ status: 400, code: error.code, message: error.message });
      watcher.refused({ method, path, status: 500, code: "failed" }, String(error));
      throw error;
    }
  };
}

/** The name of a cassette, by its file. */
export type NameOf = (file: string) => string;

function unknownPath(request: HttpRequest): Refusal {
  const { method, path } = request;
  const message = `${method} ${path} is ${nameOutside(request)}, so it is not served here: ${HELD}. ${OWN_BASE}`;
  return { status: 404, code: "unknown-path", message };
}

/** Reports a miss to the watcher and the client, which must not see the paths of files. */
function toMiss(error: CassetteError, watcher: ServeWatcher, nameOf: NameOf): Refusal {
  const { code, summary, file, miss } = error;
  const hint = miss === undefined ? error.hint : CHANGES_BY_ITSELF.test(miss.what) ? FIX_VALUE : TO_DO[miss.code];
  const todo = hint === undefined ? "" : `\n  to do    ${hint}`;
  const place = file === undefined || summary.includes(file) ? "" : `\n  file     ${file}`;
  watcher.missed({ code, message: `${summary}${place}${todo}`, ...defined({ file }) });
  const message = `${summary}${todo}`;
  if (miss === undefined || hint === undefined) return { status: 404, code, message };
  const named = file === undefined ? {} : { cassette: nameOf(file) };
  return { status: 409, code, message, miss: { ...miss, hint, ...named } };
}

/** The cassette that a client names by task or file. A name that does not fit into a header is percent-encoded. */
function pinOf({ headers }: HttpRequest): string | undefined {
  const value = headers[PIN_HEADER];
  if (typeof value !== "string" || value === "") return undefined;
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}

/** The bytes of a body, or its refusal. */
export async function readBytes(request: HttpRequest): Promise<{ bytes: Uint8Array } | { refusal: Refusal }> {
  const read = await request.readBody();
  switch (read.kind) {
    case "read":
      return { bytes: read.bytes };
    case "too-large":
      return refuse(413, "body-too-large", `the request exceeds the limit of this server, ${read.maxBytes} bytes`);
    case "busy":
      return refuse(503, "too-busy", "too many large requests at once; send this one again");
    case "broken":
      return refuse(400, "body-broken", "the request broke off");
  }
}

function refuse(status: number, code: string, message: string): { refusal: Refusal } {
  return { refusal: { status, code, message } };
}
