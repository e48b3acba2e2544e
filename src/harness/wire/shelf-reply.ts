// A turn over a vendor's wire, answered by a shelf of cassettes. The same recording gives the same bytes: nothing here comes
// from the clock.

import type { Cassette, Shelf } from "../../cassette/index.js";
import type { Wire, WireTurn } from "../../core/index.js";
import { answerReply, type WireReply } from "./reply.js";
import { streamBody, type ServedStreaming } from "./stream-body.js";

/** Names the cassette that answered, in an answer; and the one that is meant, in a request. */
export const PIN_HEADER = "x-playhead-cassette";

/** What a reply over a vendor's wire is made from. */
export interface ShelfReplyOptions {
  readonly shelf: Shelf;
  /** What a client may call a cassette by its file. */
  readonly nameOf: (file: string) => string;
  readonly streaming: ServedStreaming;
  /** Ends the waits of a timed stream. */
  readonly signal: AbortSignal;
  /** The name of the cassette that alone may answer. */
  readonly pin?: string;
}

/** Rejects with `CassetteError` where no recorded turn answers, `AgentError` where the request is none. */
export async function shelfReply(
  wire: Wire,
  { request, isStream, wantsUsage }: WireTurn,
  { shelf, nameOf, streaming, signal, pin }: ShelfReplyOptions,
): Promise<WireReply> {
  const { cassette, file, turnIndex, response, planOf } = await shelf.answer(wire, request, pin);
  const stamp = { ...stampOf(cassette, turnIndex), model: request.settings.model, wantsUsage };
  const where = { [PIN_HEADER]: encodeURI(nameOf(file)), "x-playhead-turn": String(turnIndex) };
  const stream = isStream ? streamBody(wire, response, stamp, planOf(), streaming, signal) : undefined;
  return answerReply(wire, response, stamp, stream, where);
}

function stampOf(cassette: Cassette, turnIndex: number): { id: string; createdAt: number } {
  const id = cassette.version === 2 ? cassette.cassetteId.slice(0, 12) : "playhead";
  const recordedAt = Date.parse(cassette.recordedAt);
  return { id: `${id}-${turnIndex}`, createdAt: Number.isFinite(recordedAt) ? recordedAt : 0 };
}
