// Replies on a wire: an answer, whole or streamed, and a refusal.

import type { MissReport } from "../../cassette/index.js";
import {
  DEFAULT_VENDOR,
  VENDORS,
  type JsonObject,
  type LlmTurnResponse,
  type Wire,
  type WireChunk,
  type WireStamp,
} from "../../core/index.js";

/** A whole body, or parts that are sent as they come. */
export type WireBody = string | Iterable<WireChunk> | AsyncIterable<Uint8Array>;

export interface WireReply {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: WireBody;
}

export interface Refusal {
  status: number;
  code: string;
  message: string;
  miss?: MissReport & { cassette?: string };
}

/** The status of a miss. Most clients send a request again after 408, 409, 425, 429 and every status from 500, and some after 422. */
export const MISS_STATUS = 400;

/** A refusal as a reply. Without `x-should-retry`, clients of OpenAI and Anthropic would try some of them again. */
export function refusalReply({ miss, ...refusal }: Refusal, wire: Wire = VENDORS[DEFAULT_VENDOR]): WireReply {
  const failure = { ...refusal, ...(miss === undefined ? {} : { miss: miss as unknown as JsonObject }) };
  return {
    status: refusal.status,
    headers: { "content-type": "application/json", "x-should-retry": "false" },
    body: JSON.stringify(wire.fail(failure)),
  };
}

export function answerReply(
  wire: Wire,
  response: LlmTurnResponse,
  stamp: WireStamp,
  stream: WireBody | undefined,
  headers: Readonly<Record<string, string>> = {},
): WireReply {
  const type =
    stream === undefined
      ? { "content-type": "application/json" }
      : { "content-type": stamp.isList === true ? "application/json" : wire.streamType, "cache-control": "no-cache" };
  const body = stream ?? JSON.stringify(wire.write(response, stamp));
  return { status: 200, headers: { ...type, ...headers }, body };
}
