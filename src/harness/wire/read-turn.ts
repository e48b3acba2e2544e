// What a client of a vendor asked, from the bytes of its request.

import { AgentError, parseBoundedJson, type Wire, type WireTurn } from "../../core/index.js";
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

/** The turn a body asks for, or why none can be read from it. */
export function readTurn(wire: Wire, bytes: Uint8Array): { turn: WireTurn } | { refusal: Refusal } {
  let body: unknown;
  try {
    body = parseBody(bytes);
  } catch {
    return { refusal: { status: 400, code: "not-json", message: "the request's body is not JSON in UTF-8" } };
  }
  try {
    return { turn: wire.parse(body) };
  } catch (error) {
    if (error instanceof AgentError) return { refusal: { status: 400, code: error.code, message: error.message } };
    throw error;
  }
}
