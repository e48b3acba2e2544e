// Replies in the words of a wire: an answer whole or streamed, a refusal, and reading the body before either.

import type { MissReport } from "../../cassette/index.js";
import {
  parseBoundedJson,
  WIRES,
  type JsonObject,
  type LlmTurnResponse,
  type Wire,
  type WireStamp,
} from "../../core/index.js";
import type { HttpReply, HttpRequest } from "../../host/index.js";

/** A refusal as a reply. Clients of OpenAI and Anthropic try some of these again unless told not to. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  miss?: MissReport & { cassette?: string };
}

/** Errors for a path that belongs to no wire look like OpenAI's. */
export function refusalReply({ miss, ...refusal }: Refusal, wire: Wire = WIRES.openai): HttpReply {
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
  stream: HttpReply["body"] | undefined,
  headers: Readonly<Record<string, string>>,
): HttpReply {
  if (stream !== undefined) {
    const type = { "content-type": wire.streamType, "cache-control": "no-cache" };
    return { status: 200, headers: { ...type, ...headers }, body: stream };
  }
  const body = JSON.stringify(wire.write(response, stamp));
  return { status: 200, headers: { "content-type": "application/json", ...headers }, body };
}

/** The bytes of a body, or the refusal of it. */
export async function readBytes(request: HttpRequest): Promise<{ bytes: Uint8Array } | { refusal: Refusal }> {
  const read = await request.readBody();
  switch (read.kind) {
    case "read":
      return { bytes: read.bytes };
    case "too-large":
      return {
        refusal: {
          status: 413,
          code: "body-too-large",
          message: `the request has more than ${read.maxBytes} bytes, the limit of this server`,
        },
      };
    case "busy":
      return {
        refusal: { status: 503, code: "too-busy", message: "too many large requests at once; send this one again" },
      };
    case "broken":
      return { refusal: { status: 400, code: "body-broken", message: "the request broke off" } };
  }
}

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
