// What a client of a vendor asked, from the bytes of its request.

import { AgentError, isPlainObject, parseBoundedJson, type Wire, type WireTurn } from "../../core/index.js";
import type { Refusal } from "./reply.js";

/**
 * The turn that a request to `path` asks for. Throws SyntaxError where the body is not JSON in UTF-8 or is nested too deep,
 * `AgentError` where it holds what a turn cannot.
 */
export function parseTurn(wire: Wire, bytes: Uint8Array, path: string): WireTurn {
  const body = parseBody(bytes);
  const deployment = /\/deployments\/([^/]+)\//.exec(path)?.[1];
  // Azure names the model in the path, and its clients may leave it out of the body.
  const isNameless = deployment !== undefined && isPlainObject(body) && body["model"] === undefined;
  return wire.parse(isNameless ? { ...body, model: deployment } : body);
}

/** Throws SyntaxError. */
function parseBody(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SyntaxError("the request's body is not UTF-8");
  }
  return parseBoundedJson(text);
}

/** The turn that a request asks for, or why none can be read from it. */
export function readTurn(wire: Wire, bytes: Uint8Array, path: string): { turn: WireTurn } | { refusal: Refusal } {
  try {
    return { turn: parseTurn(wire, bytes, path) };
  } catch (error) {
    if (error instanceof AgentError) return { refusal: { status: 400, code: error.code, message: error.message } };
    if (!(error instanceof SyntaxError)) throw error;
    return { refusal: { status: 400, code: "not-json", message: "the request's body is not JSON in UTF-8" } };
  }
}
