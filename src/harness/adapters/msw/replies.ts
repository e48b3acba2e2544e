// The replies to requests that no recorded turn answers: refusals, and whatever becomes of a request that is not a turn.

import { CassetteError, type PlainRequest } from "../../../cassette/index.js";
import { AgentError, thrownText, type HeldConversations, type Wire } from "../../../core/index.js";
import type { IsPassed } from "../../wire/pass.js";
import {
  beginConversation,
  conversationReply,
  reasonOf,
  type HeldStateRefusal,
  type UnreadTurn,
  type WholeTurn,
} from "../../wire/read-turn.js";
import { MISS_STATUS, refusalReply, type Refusal } from "../../wire/reply.js";
import type { Bases } from "./bases.js";
import type { ExchangeReplay, RecordExchange } from "./exchanges.js";
import { toResponse } from "./response.js";
import { OWN_HANDLER, type Trouble } from "./trouble.js";

export interface AskedTurn extends WholeTurn {
  readonly wire: Wire;
  readonly request: Request;
  readonly plain: PlainRequest;
  /** True if the request continues a conversation, which `body` holds whole. */
  readonly isContinued: boolean;
  /** Notes an answer on its way, which the next request may continue. */
  readonly track: (work: Promise<unknown>) => void;
}

/** A request to a turn's path that a turn cannot hold. */
type UnreadRequest = Pick<AskedTurn, "wire" | "request" | "plain">;

export interface Interception {
  readonly bases: Bases;
  readonly trouble: Trouble;
  /** True for a request that may go out unrecorded, or stay unanswered. */
  readonly isPassed: IsPassed;
  /** Rejects with `CassetteError` for a miss. */
  readonly answer: (asked: AskedTurn) => Promise<Response>;
  /** Answers requests from recorded exchanges, before `answer`. */
  readonly replay?: ExchangeReplay;
  /** Records requests that are not turns, or that a turn cannot hold. Without it they only go out. */
  readonly record?: RecordExchange;
  /** Sends out a request that is not a turn or cannot be read as one. Undefined where nothing goes out. */
  readonly letOut: ((request: Request) => Promise<Response>) | undefined;
}

export function createReplies({ trouble, replay, record, letOut, ...interception }: Interception) {
  const isPassed = ({ method, url }: Request): boolean =>
    interception.isPassed({ method, path: new URL(url).pathname });

  function refuse(request: Request, refusal: Refusal, wire: Wire | undefined, error: unknown): Response {
    if (isPassed(request)) return pass(request, wire);
    trouble.count(request, "missed");
    trouble.note(error);
    return toResponse(refusalReply(refusal, wire));
  }

  /** Answers a request that may stay unrecorded. */
  function pass(request: Request, wire: Wire | undefined): Response {
    trouble.count(request, "passed");
    const message = `${request.method} ${new URL(request.url).pathname} is not recorded`;
    return toResponse(refusalReply({ status: 404, code: "unknown-path", message }, wire));
  }

  /** A request that is not a turn: recorded, or passed on where there is a vendor, and counted in any case. */
  async function outside(request: Request, plain: PlainRequest): Promise<Response> {
    if (record !== undefined) return record(request, plain);
    if (letOut === undefined) return unanswered(request, plain);
    const response = await letOut(request).catch(() => undefined);
    trouble.count(request, response === undefined ? "failed" : "passed-on");
    return response ?? Response.error();
  }

  function unanswered(request: Request, plain: PlainRequest): Response {
    const missed = replay?.miss(plain);
    if (missed !== undefined) return refuse(request, toRefusal(missed), undefined, missed);
    if (isPassed(request)) return pass(request, undefined);
    trouble.count(request, "refused");
    const { origin, pathname } = new URL(request.url);
    const what = `${request.method} ${origin}${pathname} is not a conversation turn, and no exchange was recorded`;
    return toResponse(refusalReply({ status: 404, code: "unknown-path", message: `${what}. ${OWN_HANDLER}` }));
  }

  async function unreadable(
    { request, plain, wire }: UnreadRequest,
    read: UnreadTurn | HeldStateRefusal,
  ): Promise<Response> {
    if (record !== undefined) return record(request, plain, reasonOf(read));
    const refusal = "held" in read ? read.held : read.refusal;
    if (letOut === undefined) {
      const missed = replay?.miss(plain);
      const isKnown = missed !== undefined && missed.code !== "exchange-missing";
      if (isKnown) return refuse(request, toRefusal(missed), wire, missed);
      const code = "held" in read ? "invalid-options" : "not-recordable";
      return refuse(request, refusal, wire, new CassetteError(code, refusal.message));
    }
    const response = await letOut(request).catch(() => Response.error());
    if (response.ok) trouble.note(new CassetteError("not-recordable", refusal.message));
    return response;
  }

  async function unknownState(asked: UnreadRequest, read: HeldStateRefusal): Promise<Response> {
    const { held, isRecoverable, isLeftOut } = read;
    const { request, wire } = asked;
    // A client that then sends the whole conversation has lost nothing.
    if (isRecoverable) return toResponse(refusalReply(held, wire));
    if (!isLeftOut) return unreadable(asked, read);
    return refuse(request, held, wire, new CassetteError("invalid-options", held.message));
  }

  return { isPassed, refuse, outside, unreadable, unknownState, begin: createBeginning({ trouble, letOut }) };
}

/** Answers a request that begins a conversation without a turn. */
function createBeginning({ trouble, letOut }: Pick<Interception, "trouble" | "letOut">) {
  return async (request: Request, body: Uint8Array, holder: Wire, held: HeldConversations): Promise<Response> => {
    if (letOut === undefined) {
      trouble.count(request, "begun");
      return toResponse(conversationReply(holder, body, held));
    }
    const response = await letOut(request).catch(() => Response.error());
    try {
      if (response.ok) beginConversation(holder, held, body, new Uint8Array(await response.clone().arrayBuffer()));
      trouble.count(request, response.ok ? "begun" : "failed");
    } catch (error) {
      trouble.count(request, "lost", thrownText(error));
      trouble.note(error);
    }
    return response;
  };
}

const EXCHANGE_MISSES: ReadonlySet<string> = new Set(["exchange-missing", "exchange-changed", "exhausted"]);

export function toRefusal(error: unknown): Refusal {
  const message = thrownText(error);
  if (error instanceof CassetteError) {
    const { code, miss } = error;
    if (miss !== undefined) return { status: MISS_STATUS, code, message, miss };
    return { status: EXCHANGE_MISSES.has(code) ? MISS_STATUS : 404, code, message };
  }
  return { status: 400, code: error instanceof AgentError ? error.code : "failed", message };
}
