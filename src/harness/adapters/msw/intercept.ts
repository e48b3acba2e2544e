// One function for all requests below the base URLs: which wire a request speaks, what it asks, and who answers it. What
// cannot be answered is refused in the words of the wire and remembered.

import { CassetteError } from "../../../cassette/index.js";
import { AgentError, thrownText, type Wire, type WireTurn } from "../../../core/index.js";
import { HELD, nameOutside, type OutsideRequest } from "../../wire/outside.js";
import { readTurn } from "../../wire/read-turn.js";
import { refusalReply, type Refusal } from "../../wire/reply.js";
import type { Bases } from "./bases.js";
import { toResponse } from "./response.js";
import { forHandlers } from "./reworded.js";
import { OWN_HANDLER, type Trouble } from "./trouble.js";

export interface AskedTurn {
  readonly wire: Wire;
  readonly turn: WireTurn;
  readonly request: Request;
}

export interface Interception {
  readonly bases: Bases;
  readonly trouble: Trouble;
  /** Rejects with `CassetteError` for a miss. */
  readonly answer: (asked: AskedTurn) => Promise<Response>;
  /** Sends out a request that is not a turn or cannot be read as one. Undefined where nothing goes out. */
  readonly letOut: ((request: Request) => Promise<Response>) | undefined;
}

/** Never rejects: a handler that throws would be answered 500, which clients try again. */
export function createInterceptor(interception: Interception): (request: Request) => Promise<Response> {
  const { bases, trouble, answer, letOut } = interception;

  function refuse(refusal: Refusal, wire: Wire | undefined, error: unknown): Response {
    trouble.note(error);
    return toResponse(refusalReply(refusal, wire));
  }

  /** A request that is not a turn: passed on where there is a vendor, and counted in any case. */
  async function outside(request: Request): Promise<Response> {
    // Without a query, but with the host: two vendors may have the same path.
    const { origin, pathname } = new URL(request.url);
    const asked: OutsideRequest = { method: request.method, path: `${origin}${pathname}` };
    if (letOut === undefined) {
      trouble.refused(asked);
      const what = `${asked.method} ${asked.path} is ${nameOutside(asked)}`;
      const message = `${what}, so it is not answered here: ${HELD}. ${OWN_HANDLER}`;
      return toResponse(refusalReply({ status: 404, code: "unknown-path", message }));
    }
    const response = await letOut(request).catch(() => undefined);
    if (response !== undefined) trouble.passedOn(asked);
    return response ?? Response.error();
  }

  async function unreadable(request: Request, refusal: Refusal, wire: Wire): Promise<Response> {
    const error = new CassetteError("not-recordable", refusal.message);
    if (letOut === undefined) return refuse(refusal, wire, error);
    const response = await letOut(request).catch(() => Response.error());
    if (response.ok) trouble.note(error);
    return response;
  }

  return async (request) => {
    const wire = bases.wireOf(request);
    if (wire === undefined) return outside(request);
    const bytes = new Uint8Array(await request.clone().arrayBuffer());
    const read = readTurn(wire, bytes, new URL(request.url).pathname);
    if ("held" in read) {
      // A client that then sends the whole conversation has lost nothing.
      const { held, isRecoverable } = read;
      return isRecoverable
        ? toResponse(refusalReply(held, wire))
        : refuse(held, wire, new CassetteError("invalid-options", held.message));
    }
    if ("refusal" in read) return unreadable(request, read.refusal, wire);
    try {
      const answered = answer({ wire, turn: read.turn, request });
      trouble.track(answered);
      return await answered;
    } catch (error) {
      const worded = forHandlers(error);
      return refuse(toRefusal(worded), wire, worded);
    }
  };
}

function toRefusal(error: unknown): Refusal {
  const message = thrownText(error);
  if (error instanceof CassetteError) {
    const { code, miss } = error;
    return miss === undefined ? { status: 404, code, message } : { status: 409, code, message, miss };
  }
  return { status: 400, code: error instanceof AgentError ? error.code : "failed", message };
}
