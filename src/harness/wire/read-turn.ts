// Reads a turn from the bytes of a vendor's client.

import {
  AgentError,
  decodeUtf8,
  findDroppedArgument,
  followerOf,
  parseBoundedJson,
  type HeldConversations,
  type HeldState,
  type KeepAnswer,
  type ResolvedBody,
  type Wire,
  type WireTurn,
} from "../../core/index.js";
import { refusalReply, type Refusal, type WireReply } from "./reply.js";

function turnOf(wire: Wire, body: unknown, text: string, path: string): WireTurn {
  const dropped = findDroppedArgument(text);
  if (dropped !== undefined) {
    const what = `the arguments of a call, or the seed, hold ${dropped}, which cannot be read without a loss`;
    throw new AgentError("invalid-options", `the request cannot be read: ${what}`, {
      hint: "Send numbers of more than 15 digits as text, and each key once.",
    });
  }
  return wire.parse(body, path);
}

const NOT_UTF8 = "the request's body is not UTF-8";
const NOT_JSON = "the request's body is not JSON in UTF-8";

function readUtf8(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new SyntaxError(NOT_UTF8);
  return text;
}

/** Printed once when a door holds more conversations of the vendor's server than it can. */
export const FORGOT =
  "too many conversations are held for requests that continue them: the ones that were unused for longest are forgotten";

/** A turn with its whole conversation. `keep` takes its answer, if the vendor's server keeps that. */
export interface WholeTurn {
  readonly turn: WireTurn;
  /** The body with the whole conversation: as it came, unless it continues one. */
  readonly body: Uint8Array;
  readonly keep: KeepAnswer | undefined;
}

/** A body that a turn cannot hold. A recorder keeps the request as an exchange, with `body`. */
export interface UnreadTurn {
  readonly refusal: Refusal;
  /** With the part of its conversation that is known here. */
  readonly body: Uint8Array;
}

/** A body that continues state on the vendor's server that this door does not know. */
export interface HeldStateRefusal {
  readonly held: Refusal;
  /** True where the vendor's client reacts by sending the whole conversation. */
  readonly isRecoverable: boolean;
  /** True where a replay never gives the id of the state. A recorder refuses the request. */
  readonly isLeftOut: boolean;
  readonly body: Uint8Array;
}

/** Reads a request to `path`. A body that continues a conversation in `held` is read as if its client had sent all of it. */
export async function readTurn(
  wire: Wire,
  bytes: Uint8Array,
  path: string,
  held: HeldConversations,
): Promise<WholeTurn | UnreadTurn | HeldStateRefusal> {
  let whole = bytes;
  try {
    const text = readUtf8(bytes);
    const json = parseBoundedJson(text);
    const { body, keep } = await resolveSettled(wire, json, held);
    if (body !== json) whole = new TextEncoder().encode(JSON.stringify(body));
    const state = wire.findHeldState(body);
    if (state !== undefined) return { ...toRefusal(state), body: whole };
    return { turn: turnOf(wire, body, text, path), body: whole, keep };
  } catch (error) {
    const { code, message } = error as AgentError;
    if (error instanceof AgentError) return { refusal: { status: 400, code, message }, body: whole };
    if (!(error instanceof SyntaxError)) throw error;
    return { refusal: notJson(error), body: bytes };
  }
}

/** The body of a request that is not a turn. One that continues a conversation in `held` gets all of it. */
export async function readExchange(
  request: { readonly method: string; readonly path: string },
  bytes: Uint8Array,
  held: HeldConversations,
): Promise<Uint8Array> {
  const wire = followerOf(request);
  if (wire === undefined) return bytes;
  try {
    const json = parseBoundedJson(readUtf8(bytes));
    const { body } = await resolveSettled(wire, json, held);
    return body === json ? bytes : new TextEncoder().encode(JSON.stringify(body));
  } catch (error) {
    if (error instanceof SyntaxError) return bytes;
    throw error;
  }
}

async function resolveSettled(wire: Wire, json: unknown, held: HeldConversations): Promise<ResolvedBody> {
  const found = held.resolve(wire, json);
  if (!found.isUnknown) return found;
  // The client may have read the end of an answer before we did.
  await held.settled();
  return held.resolve(wire, json);
}

/** Why a request can only be an exchange. */
export function reasonOf(read: UnreadTurn | HeldStateRefusal): string {
  return ("held" in read ? read.held : read.refusal).message.replace(UNREAD, "");
}

/** An exchange does hold the request. */
const UNREAD = /^the request cannot be read: /;

function toRefusal({ status, code, message, hint, isRecoverable, isLeftOut = false }: HeldState) {
  return { held: { status, code, message: `${message}. ${hint}` }, isRecoverable, isLeftOut };
}

/** Refuses a body that continues a conversation in `held`, as a vendor does that never gave its id. Undefined for any other body. */
export function refuseContinuation(
  wire: Wire,
  bytes: Uint8Array,
  held: HeldConversations,
): Omit<HeldStateRefusal, "body"> | undefined {
  try {
    const json = parseBoundedJson(readUtf8(bytes));
    const state = held.resolve(wire, json).body === json ? undefined : wire.findHeldState(json);
    if (state === undefined) return undefined;
    const message = `the request continues a recorded answer (${state.field}), which the vendor does not have, and no unused turn matches it`;
    return toRefusal({ ...state, message });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof AgentError) return undefined;
    throw error;
  }
}

function notJson({ message }: SyntaxError): Refusal {
  return { status: 400, code: "not-json", message: message === NOT_UTF8 ? NOT_UTF8 : NOT_JSON };
}

/** Keeps a conversation that begins without a turn. Returns the vendor's `answer`, or our own in its place. */
export function beginConversation(
  wire: Wire,
  held: HeldConversations,
  asked: Uint8Array,
  answer?: Uint8Array,
): unknown {
  const parse = (bytes: Uint8Array): unknown => (bytes.length === 0 ? {} : parseBoundedJson(readUtf8(bytes)));
  return held.begin(wire, parse(asked), answer === undefined ? undefined : parse(answer));
}

/** Answers a request that begins a conversation without a turn. */
export function conversationReply(wire: Wire, asked: Uint8Array, held: HeldConversations): WireReply {
  try {
    const body = JSON.stringify(beginConversation(wire, held, asked));
    return { status: 200, headers: { "content-type": "application/json" }, body };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refusalReply(notJson(error), wire);
  }
}
