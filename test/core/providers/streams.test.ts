import { describe, expect, it } from "vitest";
import { findResponseFlaw } from "../../../src/core/model/response.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { canonicalize } from "../../../src/core/canon/json.js";
import { plainDecoding } from "../../../src/core/http/json-readers.js";
import {
  allRecorded,
  decodePieces,
  readLooseBodies,
  recordedStreams,
  streamWires,
  textOfDeltas,
  toSse,
  wireOf,
  type Decoded,
  type Recorded,
} from "../../support/exchanges.js";
import { hasShared } from "../../support/shared.js";

/** Streams that carry an error after their first words. */
const FAILED: Record<string, string> = {
  "45a187f404506e9a": "invalid_request_error: Tool call validation failed",
  "8e7338308823fe67": "400: Token limit reached",
};

const thoughtsOf = ({ message }: LlmTurnResponse): string =>
  (message.reasoning ?? []).map((thought) => (thought.type === "text" ? thought.text : "")).join("");

function expectDeltasToTell({ deltas, response }: Decoded, id: string): void {
  expect(textOfDeltas(deltas, "text-delta"), id).toBe(response.message.content);
  expect(textOfDeltas(deltas, "reasoning-delta"), id).toBe(thoughtsOf(response));
  const calls = deltas.flatMap((delta) => (delta.type === "tool-call-delta" ? delta : []));
  for (const [index, call] of (response.message.toolCalls ?? []).entries()) {
    const own = calls.filter((delta) => delta.index === index);
    const text = own.map((delta) => delta.argumentsText).join("");
    expect(
      own.flatMap((delta) => delta.name ?? ""),
      id,
    ).toContain(call.name);
    if (call.malformedArguments === undefined) expect(JSON.parse(text || "{}") ?? {}, id).toEqual(call.arguments);
    else expect(text, id).toBe(call.malformedArguments);
  }
  expect(
    calls.every(({ index }) => index < (response.message.toolCalls ?? []).length),
    id,
  ).toBe(true);
}

describe.skipIf(!hasShared)("recorded streams", () => {
  it("PLK-31 every one becomes a response, or the error it carries, and its deltas tell the same", () => {
    const seen = { openai: 0, anthropic: 0, ollama: 0, failed: 0 };
    for (const { id, wire, body } of recordedStreams()) {
      if (FAILED[id] !== undefined) {
        expect(() => decodePieces(streamWires[wire], [body]), id).toThrow(FAILED[id]);
        seen.failed += 1;
        continue;
      }
      const decoded = decodePieces(streamWires[wire], [body]);
      expect(findResponseFlaw(decoded.response), id).toBeUndefined();
      expect(() => canonicalize(decoded.response), id).not.toThrow();
      expectDeltasToTell(decoded, id);
      seen[wire] += 1;
    }
    expect(seen).toEqual({ openai: 457, anthropic: 171, ollama: 14, failed: 2 });
  });

  it("the network's own cuts change nothing", () => {
    let [streams, chunks] = [0, 0];
    for (const { id, wire, body, chunks: pieces } of recordedStreams()) {
      if (pieces === undefined) continue;
      expect(pieces.join(""), id).toBe(body);
      expect(decodePieces(streamWires[wire], pieces), id).toEqual(decodePieces(streamWires[wire], [body]));
      streams += 1;
      chunks += pieces.length;
    }
    expect(streams).toBe(134);
    expect(chunks).toBeGreaterThan(8000);
  });

  it("neither do line ends of the other kinds, a byte order mark or a last line that is not ended", () => {
    for (const { id, wire, body } of recordedStreams()) {
      if (FAILED[id] !== undefined) continue;
      const whole = decodePieces(streamWires[wire], [body]);
      const others = [body.replaceAll("\n", "\r\n"), `\ufeff${body}`, body.trimEnd()];
      if (wire !== "ollama") others.push(body.replaceAll("\n", "\r"));
      for (const other of others) expect(decodePieces(streamWires[wire], [other]), id).toEqual(whole);
    }
  });

  it("every stream that came without its request becomes a response", () => {
    const loose = readLooseBodies().filter(({ format, body }) => format !== "json" || body.startsWith("data:"));
    for (const { source, provider, format, body } of loose) {
      const wire = provider === "anthropic" || provider === "ollama" ? provider : "openai";
      const decoded = decodePieces(streamWires[wire], [format === "data-lines" ? toSse(body) : body]);
      expect(findResponseFlaw(decoded.response), source).toBeUndefined();
      expectDeltasToTell(decoded, source);
    }
    expect(loose.length).toBe(41);
  });
});

function decodeRecorded({ request, response, streaming }: Recorded): LlmTurnResponse {
  const wire = streamWires[wireOf(request.url) ?? "openai"];
  if (streaming) return decodePieces(wire, [response.body]).response;
  return wire.decode(JSON.parse(response.body), plainDecoding);
}

/** Exchanges whose requests are the same but for the wish for a stream. */
function pairs(): { streamed: Recorded; whole: Recorded }[] {
  const groups = new Map<string, Recorded[]>();
  for (const exchange of allRecorded()) {
    const { request, response, host } = exchange;
    if (response.status !== 200 || request.body === "" || wireOf(request.url) === undefined) continue;
    const { stream: _stream, stream_options: _options, ...rest } = JSON.parse(request.body) as Record<string, unknown>;
    const key = `${host} ${JSON.stringify(rest)}`;
    groups.set(key, [...(groups.get(key) ?? []), exchange]);
  }
  return [...groups.values()].flatMap((group) => {
    const whole = group.find(({ streaming }) => !streaming);
    return group.flatMap((streamed) => (streamed.streaming && whole !== undefined ? { streamed, whole } : []));
  });
}

/** What of a response does not depend on the words the model chose this time. */
function shapeOf(response: LlmTurnResponse) {
  const { message, usage, finalAnswer, stopReason, costUsd, model } = response;
  return {
    calls: (message.toolCalls ?? []).map((call) => call.name),
    usage: Object.keys(usage ?? {}).sort(),
    inputTokens: usage?.inputTokens,
    hasAnswer: finalAnswer !== undefined,
    hasReasoning: message.reasoning !== undefined,
    hasCost: costUsd !== undefined,
    stopReason,
    model,
  };
}

/** Streams whose shape differs from that of the answer in one piece, and why. */
const UNLIKE: Record<string, string> = {
  "14400588dafb0877": "the vendor's web search found other pages, which are input",
  "463251e968fb57f4": "the vendor's advisor said other words, which are input",
  "77bb047372fba27a": "recorded a year later, when the vendor had begun to report its cache",
  "635137c4692239f8": "the model went on talking this time",
};

describe.skipIf(!hasShared)("the same request, streamed and not", () => {
  it("gets responses of one shape, and of the same words where the model chose the same", () => {
    const unlike: string[] = [];
    let sameWords = 0;
    const all = pairs();
    for (const { streamed, whole } of all) {
      const [a, b] = [decodeRecorded(streamed), decodeRecorded(whole)];
      // OpenAI counts a stream's tokens only when asked to.
      if (a.usage === undefined && !streamed.request.body.includes('"include_usage":true')) delete b.usage;
      if (JSON.stringify(shapeOf(a)) !== JSON.stringify(shapeOf(b))) unlike.push(streamed.id);
      else if (a.message.content === b.message.content) sameWords += 1;
    }
    expect(unlike.sort()).toEqual(Object.keys(UNLIKE).sort());
    expect(all.length).toBe(103);
    expect(sameWords).toBeGreaterThan(60);
  });
});
