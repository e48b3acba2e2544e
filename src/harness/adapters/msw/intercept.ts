// One function for all requests below the base URLs: which wire a request speaks, what it asks, and who answers it. What
// cannot be answered is refused in the words of the wire and remembered.

import { CassetteError } from "../../../cassette/index.js";
import {
  AgentError,
  createHeldConversations,
  systemPorts,
  thrownText,
  type HeldConversations,
  type Wire,
} from "../../../core/index.js";
import { FORGOT, HELD, nameOutside, type OutsideRequest } from "../../wire/outside.js";
import {
  beginConversation,
  conversationReply,
  readTurn,
  type HeldStateRefusal,
  type WholeTurn,
} from "../../wire/read-turn.js";
import { refusalReply, type Refusal } from "../../wire/reply.js";
import type { Bases } from "./bases.js";
import { toResponse } from "./response.js";
import { forHandlers } from "./reworded.js";
import { OWN_HANDLER, type Trouble } from "./trouble.js";

export interface AskedTurn extends WholeTurn {
  readonly wire: Wire;
  readonly request: Request;
  /** Notes an answer on its way, which the next request may continue. */
  readonly track: (work: Promise<unknown>) => void;
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
  const held = createHeldConversations(() => systemPorts.warn(`playhead: ${FORGOT}`));

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

  async function unknownState(request: Request, { held, ...state }: HeldStateRefusal, wire: Wire): Promise<Response> {
    // A client that then sends the whole conversation has lost nothing.
    if (state.isRecoverable) return toResponse(refusalReply(held, wire));
    if (state.isElsewhere && letOut !== undefined) return unreadable(request, held, wire);
    return refuse(held, wire, new CassetteError("invalid-options", held.message));
  }

  return async (request) => {
    const wire = bases.wireOf(request);
    if (wire === undefined) {
      const holder = bases.holderOf(request);
      return holder === undefined ? outside(request) : begin(request, { ...interception, holder, held });
    }
    const bytes = new Uint8Array(await request.clone().arrayBuffer());
    const { pathname, search } = new URL(request.url);
    const read = await readTurn(wire, bytes, `${pathname}${search}`, held);
    if ("held" in read) return unknownState(request, read, wire);
    if ("refusal" in read) return unreadable(request, read.refusal, wire);
    try {
      const answered = answer({ wire, ...read, request, track: (work) => held.track(work) });
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

/** A request that begins a conversation without a turn. */
async function begin(
  request: Request,
  { holder, held, letOut, trouble }: Interception & { holder: Wire; held: HeldConversations },
): Promise<Response> {
  const asked = new Uint8Array(await request.clone().arrayBuffer());
  if (letOut === undefined) return toResponse(conversationReply(holder, asked, held));
  const response = await letOut(request).catch(() => Response.error());
  if (!response.ok) return response;
  const answer = new Uint8Array(await response.clone().arrayBuffer());
  try {
    beginConversation(holder, held, asked, answer);
  } catch (error) {
    trouble.note(error);
  }
  return response;
}
