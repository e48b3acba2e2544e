// A recorded answer in the form that a vendor's client expects.

import type { CollectedTurn } from "../../../cassette/index.js";
import { cutAs, hashJson } from "../../../core/index.js";
import { answerReply } from "../../wire/reply.js";
import type { AskedTurn } from "./replies.js";
import { toResponse } from "./response.js";

/** The same answer to the same conversation gives the same bytes, and another id than any other. */
export function encodeAnswer({ response, deltas }: CollectedTurn, { wire, turn, keep }: AskedTurn): Response {
  const { request, isStream, ...form } = turn;
  const stamp = {
    id: hashJson([request.messages, response.message]).slice(0, 12),
    createdAt: 0,
    model: request.settings.model,
    ...form,
  };
  keep?.(wire.write(response, stamp));
  if (!isStream) return toResponse(answerReply(wire, response, stamp, undefined));
  const cut = cutAs(deltas.map((delta) => ({ delta, at: 0 })));
  const events = wire.events(response, stamp, cut).map(({ text }) => text);
  return toResponse(answerReply(wire, response, stamp, events));
}
