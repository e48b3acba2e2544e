// Answers a turn over a vendor's wire from a shelf of cassettes. The same recording gives the same bytes, whatever the time.

import type { Cassette, Shelf } from "../../cassette/index.js";
import { hashJson, type Wire } from "../../core/index.js";
import type { WholeTurn } from "./read-turn.js";
import { answerReply, type WireReply } from "./reply.js";
import { streamBody, type ServedStreaming } from "./stream-body.js";

/** The header that names a cassette: in an answer the one used, in a request the one to use. */
export const PIN_HEADER = "x-playhead-cassette";

interface ShelfReplyOptions {
  readonly shelf: Shelf;
  /** The public name of a cassette's file. */
  readonly nameOf: (file: string) => string;
  readonly streaming: ServedStreaming;
  /** Ends the waits of a timed stream. */
  readonly signal: AbortSignal;
  /** The name of the only cassette that may answer. */
  readonly pin?: string;
}

/** Rejects with `CassetteError` if no recorded turn answers, and with `AgentError` for a malformed request. */
export async function shelfReply(
  wire: Wire,
  { turn: { request, isStream, ...form }, keep }: WholeTurn,
  { shelf, nameOf, streaming, signal, pin }: ShelfReplyOptions,
): Promise<WireReply> {
  const { cassette, file, turnIndex, response, planOf } = await shelf.answer(wire, request, pin);
  const stamp = { ...stampOf(cassette, nameOf(file), turnIndex), model: request.settings.model, ...form };
  keep?.(wire.write(response, stamp));
  const where = { [PIN_HEADER]: encodeURI(nameOf(file)), "x-playhead-turn": String(turnIndex) };
  const stream = isStream ? streamBody(wire, response, stamp, planOf(), streaming, signal) : undefined;
  return answerReply(wire, response, stamp, stream, where);
}

/** No two answers have the same id, since a client may continue from it. */
function stampOf(cassette: Cassette, name: string, turnIndex: number): { id: string; createdAt: number } {
  const id = cassette.version === 2 ? cassette.cassetteId.slice(0, 12) : hashJson(name).slice(0, 12);
  const recordedAt = Date.parse(cassette.recordedAt);
  return { id: `${id}-${turnIndex}`, createdAt: Number.isFinite(recordedAt) ? recordedAt : 0 };
}
