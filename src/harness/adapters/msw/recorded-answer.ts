// A recorded answer in the form that a vendor's client expects.

import type { CollectedTurn } from "../../../cassette/index.js";
import { cutAs, hashJson } from "../../../core/index.js";
import { answerReply } from "../../wire/reply.js";
import type { AskedTurn } from "./replies.js";
import { toResponse } from "./response.js";

/** The same answer gives the same bytes. */
export function encodeAnswer({ response, deltas }: CollectedTurn, { wire, turn }: AskedTurn): Response {
  const { request, isStream, wantsUsage } = turn;
  const stamp = {
    id: hashJson(response.message).slice(0, 12),
    createdAt: 0,
    model: request.settings.model,
    wantsUsage,
  };
  if (!isStream) return toResponse(answerReply(wire, response, stamp, undefined));
  const cut = cutAs(deltas.map((delta) => ({ delta, at: 0 })));
  const events = wire.events(response, stamp, cut).map(({ text }) => text);
  return toResponse(answerReply(wire, response, stamp, events));
}
