// One function for all requests below the base URLs: which wire a request speaks, what it asks, and who answers it. What
// cannot be answered is refused in the words of the wire and remembered.

import { CassetteError } from "../../../cassette/index.js";
import { readTurn } from "../../wire/read-turn.js";
import { refusalReply } from "../../wire/reply.js";
import { toPlainRequest } from "./exchanges.js";
import { toResponse } from "./response.js";
import { createReplies, toRefusal, type Interception } from "./replies.js";
import { forHandlers } from "./reworded.js";

/** Never rejects: a handler that throws would be answered 500, which clients try again. */
export function createInterceptor(interception: Interception): (request: Request) => Promise<Response> {
  const { bases, trouble, answer, replay, letOut } = interception;
  const { isPassed, refuse, outside, unreadable } = createReplies(interception);

  return async (request) => {
    const wire = bases.wireOf(request);
    if (letOut !== undefined && isPassed(request)) {
      trouble.count(request, "passed");
      return letOut(request).catch(() => Response.error());
    }
    const plain = await toPlainRequest(request);
    const recorded = replay?.answer(plain);
    if (recorded !== undefined) {
      trouble.count(request, "exchange");
      return recorded;
    }
    if (wire === undefined) return outside(request, plain);
    const read = readTurn(wire, plain.body, new URL(request.url).pathname);
    if ("held" in read) {
      // A client that then sends the whole conversation has lost nothing.
      const { held, isRecoverable } = read;
      return isRecoverable
        ? toResponse(refusalReply(held, wire))
        : refuse(request, held, wire, new CassetteError("invalid-options", held.message));
    }
    if ("refusal" in read) return unreadable(request, read.refusal, wire);
    try {
      const answered = answer({ wire, turn: read.turn, request, plain });
      trouble.track(answered);
      return await answered;
    } catch (error) {
      const worded = forHandlers(error);
      return refuse(request, toRefusal(worded), wire, worded);
    }
  };
}
