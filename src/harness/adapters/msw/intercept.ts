// One function for all requests below the base URLs: which wire a request speaks, what it asks, and who answers it. What
// cannot be answered is refused in the words of the wire and remembered.

import { createHeldConversations, systemPorts, type Wire } from "../../../core/index.js";
import { FORGOT, readExchange, readTurn } from "../../wire/read-turn.js";
import { toPlainRequest } from "./exchanges.js";
import { createReplies, toRefusal, type Interception } from "./replies.js";
import { forHandlers } from "./reworded.js";

/** Never rejects: a handler that throws would be answered 500, which clients try again. */
export function createInterceptor(interception: Interception): (request: Request) => Promise<Response> {
  const { bases, trouble, answer, replay, letOut } = interception;
  const held = createHeldConversations(() => systemPorts.warn(`playhead: ${FORGOT}`));
  const { isPassed, refuse, outside, unreadable, unknownState, begin } = createReplies(interception);

  const fail = (request: Request, wire: Wire | undefined, error: unknown): Response => {
    const worded = forHandlers(error);
    return refuse(request, toRefusal(worded), wire, worded);
  };

  return async (request) => {
    if (letOut !== undefined && isPassed(request)) {
      trouble.count(request, "passed");
      return letOut(request).catch(() => Response.error());
    }
    const wire = bases.wireOf(request);
    const came = await toPlainRequest(request);
    const { pathname, search } = new URL(request.url);
    const read = wire && (await readTurn(wire, came.body, `${pathname}${search}`, held));
    // An exchange with a continued conversation holds the whole one.
    const { method } = request;
    const plain = { ...came, body: read?.body ?? (await readExchange({ method, path: pathname }, came.body, held)) };
    try {
      const recorded = replay?.answer(plain);
      if (recorded !== undefined) {
        trouble.count(request, "exchange");
        return recorded;
      }
    } catch (error) {
      return fail(request, wire, error);
    }
    if (wire === undefined || read === undefined) {
      const holder = bases.holderOf(request);
      return holder === undefined ? outside(request, plain) : begin(request, came.body, holder, held);
    }
    if ("held" in read) return unknownState({ request, plain, wire }, read);
    if ("refusal" in read) return unreadable({ request, plain, wire }, read);
    try {
      const answered = answer({
        wire,
        ...read,
        request,
        plain,
        isContinued: read.body !== came.body,
        track: (work) => held.track(work),
      });
      trouble.track(answered);
      return await answered;
    } catch (error) {
      return fail(request, wire, error);
    }
  };
}
