// Short forms for a vendor's answers, whole or streamed, and for the result of reading them.

import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import { plainDecoding } from "../../src/core/http/json-readers.js";
import { decodePieces, findRecorded, streamWires, wireOf, type WireName } from "./exchanges.js";

export const readWhole = (wire: WireName, body: unknown): LlmTurnResponse =>
  streamWires[wire].decode(body, plainDecoding);

export const readStream = (wire: WireName, text: string): LlmTurnResponse =>
  decodePieces(streamWires[wire], [text]).response;

/** The result of reading the recorded exchange with this id. */
export function readRecorded(id: string): LlmTurnResponse {
  const { request, response, streaming } = findRecorded(id);
  const wire = wireOf(request.url) ?? "openai";
  return streaming ? readStream(wire, response.body) : readWhole(wire, JSON.parse(response.body));
}

/** A chat completion. */
export const whole = (message: object, finish_reason: unknown = "stop") => ({
  choices: [{ index: 0, message, finish_reason }],
});

/** A chunk of a streamed one. */
export const chunk = (delta: object, finish_reason: unknown = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

/** A chunk with a piece of a tool call. */
export const part = (fields: object, name?: string, text?: unknown) =>
  chunk({ tool_calls: [{ ...fields, function: { ...(name === undefined ? {} : { name }), arguments: text } }] });

export const DONE = "[DONE]";

/** Each call as id, name and arguments. */
export const callsIn = (response: LlmTurnResponse) =>
  (response.message.toolCalls ?? []).map(({ id, name, arguments: args }) => [id, name, args]);
