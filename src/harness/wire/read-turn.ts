// What a client of a vendor asked, from the bytes of its request.

import { AgentError, findHeldState, parseBoundedJson, type Wire, type WireTurn } from "../../core/index.js";
import type { Refusal } from "./reply.js";

/** The value of a JSON body. Throws SyntaxError where it is no JSON in UTF-8, or nested too deep. */
export function parseBody(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SyntaxError("the request's body is not UTF-8");
  }
  return parseBoundedJson(text);
}

/** A body that continues a conversation on the vendor's server. It is refused at every door, also while recording. */
export interface HeldStateRefusal {
  readonly held: Refusal;
  /** True where the vendor's own client reacts to this answer by sending the whole conversation. */
  readonly isRecoverable: boolean;
}

/** The refusal of a body that continues a conversation on the vendor's server; undefined for every other body. */
export function readHeldState(bytes: Uint8Array): HeldStateRefusal | undefined {
  try {
    return refusalOfState(parseBody(bytes));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function refusalOfState(body: unknown): HeldStateRefusal | undefined {
  const state = findHeldState(body);
  if (state === undefined) return undefined;
  const { status, code, message, hint, isRecoverable } = state;
  return { held: { status, code, message: `${message}. ${hint}` }, isRecoverable };
}

/** The turn a body asks for, or why none can be read from it. */
export function readTurn(wire: Wire, bytes: Uint8Array): { turn: WireTurn } | { refusal: Refusal } | HeldStateRefusal {
  let body: unknown;
  try {
    body = parseBody(bytes);
  } catch {
    return { refusal: { status: 400, code: "not-json", message: "the request's body is not JSON in UTF-8" } };
  }
  const state = refusalOfState(body);
  if (state !== undefined) return state;
  try {
    return { turn: wire.parse(body) };
  } catch (error) {
    if (error instanceof AgentError) return { refusal: { status: 400, code: error.code, message: error.message } };
    throw error;
  }
}
