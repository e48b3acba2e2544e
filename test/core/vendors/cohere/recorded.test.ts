// Every recorded exchange of Cohere's chat and of Mistral's: decoded or a typed error, written and read again whole and streamed, and
// the same answer or one typed error wherever its stream is cut.

import { describe, expect, it } from "vitest";
import { AgentError } from "../../../../src/core/errors.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { findResponseFlaw } from "../../../../src/core/model/response.js";
import type { Vendor } from "../../../../src/core/vendors/vendor.js";
import { throughWire, wireOf } from "../../../../src/core/vendors/vendors.js";
import { hasShared, readSharedLines } from "../../../support/shared.js";

interface Exchange {
  id: string;
  request: { method: string; url: string; body?: string };
  response: { status: number; body: string };
}

const stamp = { id: "1", createdAt: 0, model: "m", wantsUsage: true };
const encoder = new TextEncoder();
const pathOf = ({ request }: Exchange): string => new URL(request.url).pathname;
const wireFor = (exchange: Exchange) => wireOf({ method: exchange.request.method, path: pathOf(exchange) });
const isStream = (text: string): boolean => /^\s*(?:event|data):/.test(text);

function read(wire: Vendor, text: string, isCut = false, streamed = isStream(text)): LlmTurnResponse {
  return wire.read({ bytes: encoder.encode(text), isStream: streamed, isCut });
}

/** The answer, or the words of a typed error. Throws anything else. */
function outcome(run: () => LlmTurnResponse): LlmTurnResponse | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof AgentError && error.code === "provider-response") return error.message;
    throw error;
  }
}

/** The kind of an exchange that is not a turn, a refusal, or an answer. */
function kindOf(exchange: Exchange): string {
  const { id, request, response } = exchange;
  const wire = wireFor(exchange);
  if (wire === undefined) return `not a turn: ${pathOf(exchange)}`;
  const refusal = refusalOf(wire, request.body ?? "", id);
  if (refusal !== undefined) return refusal;
  if (response.status >= 400) return `status ${response.status}`;
  const answer = outcome(() => read(wire, response.body));
  if (typeof answer === "string") return answer.replace(/^.*answered with an error: /, "error: ").slice(0, 30);
  expect(findResponseFlaw(answer), id).toBeUndefined();
  expect(read(wire, JSON.stringify(wire.write(answer, stamp))), id).toEqual(written(answer, wire));
  expect(read(wire, wire.stream(answer, stamp).join(""), false, true), id).toEqual(written(answer, wire));
  const calls = answer.message.toolCalls ?? [];
  return `${isStream(response.body) ? "streamed" : "whole"} ${calls.length > 0 ? "with calls" : "text"}`;
}

/** Why a request is not a turn. A turn goes over its wire again unchanged. */
function refusalOf(wire: Vendor, body: string, id: string): string | undefined {
  if (body === "") return undefined;
  try {
    const { request: asked } = wire.parse(JSON.parse(body));
    expect(throughWire(asked, wire, asked), id).toEqual(asked);
    return undefined;
  } catch (error) {
    if (error instanceof AgentError) return error.message;
    throw error;
  }
}

/** OpenAI's chunks name a model in any case. */
function written(answer: LlmTurnResponse, wire: Vendor): LlmTurnResponse {
  return wire.name === "openai" && answer.model === undefined ? { ...answer, model: stamp.model } : answer;
}

function count(file: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const exchange of readSharedLines<Exchange>(`data/http/${file}.jsonl.gz`)) {
    const kind = kindOf(exchange);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

describe.skipIf(!hasShared)("the recorded exchanges", () => {
  it("of Cohere are turns, refusals and other endpoints", () => {
    expect(count("cohere")).toEqual({
      "whole text": 39,
      "whole with calls": 15,
      "streamed text": 18,
      "streamed with calls": 7,
      "error: INVALID_TOOL_GENERATION": 2,
      "status 400": 1,
      "status 401": 1,
      "not a turn: /v1/chat": 3,
      "not a turn: /v1/generate": 3,
      "not a turn: /v1/tokenize": 2,
      "not a turn: /v2/rerank": 4,
    });
  });

  it("of Mistral are turns of OpenAI's wire", () => {
    expect(count("mistral")).toEqual({
      "whole text": 16,
      "whole with calls": 25,
      "streamed text": 15,
      "streamed with calls": 20,
      "the request cannot be read: n asks for 2 answers, and a turn has one": 2,
      "not a turn: /v1/ocr": 1,
    });
  });

  it.each(["cohere", "mistral"])("of %s give the same answer or one typed error at every cut", (file) => {
    let cuts = 0;
    for (const exchange of readSharedLines<Exchange>(`data/http/${file}.jsonl.gz`)) {
      const wire = wireFor(exchange);
      const { body, status } = exchange.response;
      if (wire === undefined || status !== 200 || !isStream(body)) continue;
      const whole = outcome(() => read(wire, body));
      const bytes = encoder.encode(body);
      const step = bytes.length < 4_000 ? 1 : Math.ceil(bytes.length / 60);
      for (let end = 1; end < bytes.length; end += step) {
        cuts++;
        const cut = outcome(() => wire.read({ bytes: bytes.subarray(0, end), isStream: true, isCut: true }));
        if (typeof cut !== "string") expect(cut, `${exchange.id} at ${end}`).toEqual(whole);
      }
    }
    expect(cuts).toBeGreaterThan(1_000);
  });
});
