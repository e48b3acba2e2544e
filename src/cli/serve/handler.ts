// The replay server as a function from requests to replies, and a count of what came of them.

import { CassetteError, type MissReport, type Shelf } from "../../cassette/index.js";
import { AgentError, wireOf, type Wire, type WireTurn } from "../../core/index.js";
import {
  PIN_HEADER,
  readTurn,
  refusalReply,
  shelfReply,
  type Refusal,
  type ServedStreaming,
} from "../../harness/index.js";
import type { HttpHandler, HttpReply, HttpRequest } from "../../host/index.js";
import { readBytes } from "./read-bytes.js";

/** A request that no recorded turn answers. */
export interface ServedMiss {
  code: string;
  message: string;
  file?: string;
}

/** Told of every request that was answered or missed, before the reply goes out. */
export interface ServeWatcher {
  answered(): void;
  missed(miss: ServedMiss): void;
  /** Called for a request that was refused and that its client sends again in another form. */
  noted(why: string): void;
}

const RECORD_AGAIN =
  "Undo the change if it was not meant; else record again (cassette record --proxy --refresh) and review the new cassette.";

/** What a client that knows nothing of our library can do about a miss. */
const TO_DO: Readonly<Record<MissReport["code"], string>> = {
  "prompt-changed": RECORD_AGAIN,
  "tools-changed": RECORD_AGAIN,
  "settings-changed": RECORD_AGAIN,
  "filter-one-sided": RECORD_AGAIN,
  "redaction-one-sided": RECORD_AGAIN,
  "redacted-argument": "Start cassette serve with --allow-redacted if the client's tools can take a placeholder.",
  exhausted: "Each recorded turn answers once: restart cassette serve for a second run, or record a longer one.",
  unconsumed: RECORD_AGAIN,
  "tool-drift": RECORD_AGAIN,
};

const SERVED: readonly string[] = [
  "/v1/chat/completions",
  "/chat/completions",
  "/v1/messages",
  "/messages",
  "/api/chat",
];

/**
 * Answers from `shelf` and nothing else. `nameOf` is what a client may call a cassette by its file: where the files lie on this
 * machine is nobody's business on the other side.
 */
export function serveHandler(
  shelf: Shelf,
  watcher: ServeWatcher,
  nameOf: NameOf,
  streaming: ServedStreaming,
): HttpHandler {
  return async (request) => {
    const wire = SERVED.includes(request.path) ? wireOf(request) : undefined;
    if (wire === undefined) return refusalReply(unknownPath(request));
    const read = await readBytes(request);
    if ("refusal" in read) return refusalReply(read.refusal, wire);
    const parsed = readTurn(wire, read.bytes);
    if ("held" in parsed) {
      const { held, isRecoverable } = parsed;
      if (isRecoverable) watcher.noted(held.message);
      else watcher.missed(held);
      return refusalReply(held, wire);
    }
    if ("refusal" in parsed) return refusalReply(parsed.refusal, wire);
    return answerTurn(wire, parsed.turn, pinOf(request), {
      shelf,
      watcher,
      nameOf,
      streaming,
      signal: request.signal,
    });
  };
}

/** The name of a cassette, by its file. */
export type NameOf = (file: string) => string;

interface Served {
  readonly shelf: Shelf;
  readonly watcher: ServeWatcher;
  readonly nameOf: NameOf;
  readonly streaming: ServedStreaming;
  readonly signal: AbortSignal;
}

function unknownPath({ method, path }: HttpRequest): Refusal {
  return {
    status: 404,
    code: "unknown-path",
    message: `${method} ${path} is not served here; POST to one of ${SERVED.join(", ")}`,
  };
}

async function answerTurn(
  wire: Wire,
  turn: WireTurn,
  pin: string | undefined,
  { shelf, watcher, nameOf, streaming, signal }: Served,
): Promise<HttpReply> {
  try {
    const pinned = pin === undefined ? {} : { pin };
    const reply = await shelfReply(wire, turn, { shelf, nameOf, streaming, signal, ...pinned });
    watcher.answered();
    return reply;
  } catch (error) {
    return refusalReply(toRefusal(error, watcher, nameOf), wire);
  }
}

function toRefusal(error: unknown, watcher: ServeWatcher, nameOf: NameOf): Refusal {
  if (error instanceof AgentError) return { status: 400, code: error.code, message: error.message };
  if (!(error instanceof CassetteError)) throw error;
  const { code, summary, hint, file, miss } = error;
  const named = file === undefined ? {} : { file };
  watcher.missed({ code, message: error.message, ...named });
  const todo = miss === undefined ? hint : TO_DO[miss.code];
  const message = todo === undefined ? summary : `${summary}\n  to do    ${todo}`;
  if (miss === undefined) return { status: 404, code, message };
  return { status: 409, code, message, miss: file === undefined ? miss : { ...miss, cassette: nameOf(file) } };
}

/** A client names the cassette it means by task, by file, or not at all. A name that no header can carry as it is comes percent-encoded, as our own answers name their cassette. */
function pinOf({ headers }: HttpRequest): string | undefined {
  const value = headers[PIN_HEADER];
  if (typeof value !== "string" || value === "") return undefined;
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}
