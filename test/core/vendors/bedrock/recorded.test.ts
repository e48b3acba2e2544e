// Every recorded exchange of Bedrock: decoded, or a typed error. Frames are read as they were recorded.

import { describe, expect, it } from "vitest";
import { parseBoundedJson } from "../../../../src/core/canon/bounded-json.js";
import { AgentError } from "../../../../src/core/errors.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { findResponseFlaw } from "../../../../src/core/model/response.js";
import { throughWire, VENDORS, wireOf } from "../../../../src/core/vendors/vendors.js";
import { hasShared, readSharedLines } from "../../../support/shared.js";
import { bodyBytes } from "../../../support/wire.js";

interface Exchange {
  id: string;
  request: { method: string; url: string; body: string };
  response: { status: number; body: string; body_encoding?: "base64" };
}

const FILES = ["bedrock-converse", "bedrock-converse-stream"];
const exchanges = hasShared ? FILES.flatMap((file) => readSharedLines<Exchange>(`data/http/${file}.jsonl.gz`)) : [];
const wire = VENDORS.bedrock;
const stamp = { id: "1", createdAt: 0, model: "m" };

function read(bytes: Uint8Array, isStream: boolean, isCut = false): LlmTurnResponse {
  return wire.read({ bytes, isStream, isCut });
}

function bytesOf({ response }: Exchange): Buffer {
  return Buffer.from(response.body, response.body_encoding ?? "utf8");
}

/** What became of an exchange. Writing its request and its answer, and reading them again, changes nothing. */
function outcomeOf(exchange: Exchange): string {
  const { id, request, response } = exchange;
  const path = new URL(request.url).pathname;
  expect(wireOf({ method: request.method, path })?.name, id).toBe("bedrock");
  try {
    const turn = wire.parse(parseBoundedJson(request.body), path);
    expect(turn.isStream, id).toBe(response.body_encoding === "base64");
    expect(turn.request.settings.model, id).not.toBe("");
    const again = throughWire(turn.request, wire, turn.request);
    expect(throughWire(again ?? turn.request, wire, turn.request), id).toEqual(again);
    if (response.status >= 400) return `error ${response.status}`;
    const answer = read(bytesOf(exchange), turn.isStream);
    expect(findResponseFlaw(answer), id).toBeUndefined();
    expect(answer.usage, id).toBeDefined();
    expect(read(Buffer.from(JSON.stringify(wire.write(answer, stamp))), false), id).toEqual(answer);
    expect(read(bodyBytes(wire.stream(answer, stamp)), true, true), id).toEqual(answer);
    return answer.message.toolCalls === undefined ? "answer" : "answer with calls";
  } catch (error) {
    if (error instanceof AgentError) return error.message;
    if (error instanceof SyntaxError) return "request that is not JSON";
    throw error;
  }
}

describe.skipIf(!hasShared)("the recorded exchanges of Bedrock", () => {
  it("are each decoded or a typed error", () => {
    const outcomes: Record<string, number> = {};
    for (const outcome of exchanges.map(outcomeOf)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    expect(outcomes).toEqual({
      answer: 138,
      "answer with calls": 79,
      "error 400": 7,
      "error 403": 2,
      "error 404": 1,
      "request that is not JSON": 1,
    });
  });

  it("give the same answer or one typed error, wherever a stream is cut", () => {
    const streams = exchanges.filter(({ response }) => response.body_encoding === "base64");
    for (const exchange of streams) {
      const bytes = bytesOf(exchange);
      const step = Math.ceil(bytes.length / 100);
      for (let end = bytes.length - 1; end > 0; end -= step) {
        expect(() => read(bytes.subarray(0, end), true), exchange.id).toThrow("ended before its answer was whole");
      }
    }
  });
});
