// Reads a turn from the bytes of a vendor's client.

import { AgentError, findDroppedArgument, parseBoundedJson, type Wire, type WireTurn } from "../../core/index.js";
import type { Refusal } from "./reply.js";

/**
 * The turn of a request to `path`, with its query. Throws SyntaxError if the body is not JSON in UTF-8 or is nested too deep, and `AgentError` if it
 * holds something that a turn cannot.
 */
export function parseTurn(wire: Wire, bytes: Uint8Array, path: string): WireTurn {
  const text = readUtf8(bytes);
  return turnOf(wire, parseBoundedJson(text), text, path);
}

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

function readUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SyntaxError("the request's body is not UTF-8");
  }
}

/** A body that continues a conversation on the vendor's server. It is always refused, even while recording. */
interface HeldStateRefusal {
  readonly held: Refusal;
  /** True where the vendor's client reacts by sending the whole conversation. */
  readonly isRecoverable: boolean;
}

/** The refusal of a body that continues a conversation on the vendor's server. Undefined for any other body. */
export function readHeldState(wire: Wire, bytes: Uint8Array): HeldStateRefusal | undefined {
  try {
    return refusalOfState(wire, parseBoundedJson(readUtf8(bytes)));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function refusalOfState(wire: Wire, body: unknown): HeldStateRefusal | undefined {
  const state = wire.findHeldState(body);
  if (state === undefined) return undefined;
  const { status, code, message, hint, isRecoverable } = state;
  return { held: { status, code, message: `${message}. ${hint}` }, isRecoverable };
}

export function readTurn(
  wire: Wire,
  bytes: Uint8Array,
  path: string,
): { turn: WireTurn } | { refusal: Refusal } | HeldStateRefusal {
  try {
    const text = readUtf8(bytes);
    const body = parseBoundedJson(text);
    return refusalOfState(wire, body) ?? { turn: turnOf(wire, body, text, path) };
  } catch (error) {
    if (error instanceof AgentError) return { refusal: { status: 400, code: error.code, message: error.message } };
    if (!(error instanceof SyntaxError)) throw error;
    return { refusal: { status: 400, code: "not-json", message: "the request's body is not JSON in UTF-8" } };
  }
}
