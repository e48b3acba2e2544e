// Replies in the words of a wire: an answer whole or streamed, and a refusal.

import type { MissReport } from "../../cassette/index.js";
import {
  DEFAULT_VENDOR,
  VENDORS,
  type JsonObject,
  type LlmTurnResponse,
  type Wire,
  type WireStamp,
} from "../../core/index.js";

/** A whole body, or parts that are sent as they come. */
export type WireBody = string | Iterable<string> | AsyncIterable<Uint8Array>;

/** What a client of a vendor is answered. */
export interface WireReply {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: WireBody;
}

/** A refusal as a reply. Clients of OpenAI and Anthropic try some of these again unless told not to. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  miss?: MissReport & { cassette?: string };
}

/** A refusal in the words of a wire. */
export function refusalReply({ miss, ...refusal }: Refusal, wire: Wire = VENDORS[DEFAULT_VENDOR]): WireReply {
  const failure = { ...refusal, ...(miss === undefined ? {} : { miss: miss as unknown as JsonObject }) };
  return {
    status: refusal.status,
    headers: { "content-type": "application/json", "x-should-retry": "false" },
    body: JSON.stringify(wire.fail(failure)),
  };
}

/** A response as its client wants it: whole, or as the `stream` that was made of it. */
export function answerReply(
  wire: Wire,
  response: LlmTurnResponse,
  stamp: WireStamp,
  stream: WireBody | undefined,
  headers: Readonly<Record<string, string>> = {},
): WireReply {
  if (stream !== undefined) {
    const type = { "content-type": wire.streamType, "cache-control": "no-cache" };
    return { status: 200, headers: { ...type, ...headers }, body: stream };
  }
  const body = JSON.stringify(wire.write(response, stamp));
  return { status: 200, headers: { "content-type": "application/json", ...headers }, body };
}
