import { describe, expect, it } from "vitest";
import { findResponseFlaw } from "../../../src/core/model/response.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { canonicalize } from "../../../src/core/canon/json.js";
import { plainDecoding } from "../../../src/core/http/json-readers.js";
import {
  allRecorded,
  decodePieces,
  recordedStreams,
  streamWires,
  textOfDeltas,
  wireOf,
  type Decoded,
  type Recorded,
} from "../../support/exchanges.js";
import { looseBytes, readLooseBodies, wireOfLoose } from "../../support/loose-bodies.js";
import { hasShared } from "../../support/shared.js";

/** Streams that carry an error after their first words. */
const FAILED: Record<string, string> = {
  "45a187f404506e9a": "invalid_request_error: Tool call validation failed",
  "8e7338308823fe67": "400: Token limit reached",
  "5813d556b3f1357a": "INVALID_TOOL_GENERATION",
  "68e089e7286e34f2": "INVALID_TOOL_GENERATION",
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
    const seen: Record<string, number> = {};
    const see = (what: string): void => void (seen[what] = (seen[what] ?? 0) + 1);
    for (const { id, wire, bytes } of recordedStreams()) {
      if (FAILED[id] !== undefined) {
        expect(() => decodePieces(streamWires[wire], [bytes]), id).toThrow(FAILED[id]);
        see("failed");
        continue;
      }
      const decoded = decodePieces(streamWires[wire], [bytes]);
      expect(findResponseFlaw(decoded.response), id).toBeUndefined();
      expect(() => canonicalize(decoded.response), id).not.toThrow();
      expectDeltasToTell(decoded, id);
      see(wire);
    }
    expect(seen).toEqual({
      ...{ openai: 493, responses: 235, anthropic: 171, gemini: 167, bedrock: 33, cohere: 25, ollama: 14 },
      failed: 4,
    });
  });

  it("the network's own cuts change nothing", () => {
    let [streams, chunks] = [0, 0];
    for (const { id, wire, bytes, chunks: pieces } of recordedStreams()) {
      if (pieces === undefined) continue;
      expect(pieces.join(""), id).toBe(Buffer.from(bytes).toString());
      expect(decodePieces(streamWires[wire], pieces), id).toEqual(decodePieces(streamWires[wire], [bytes]));
      streams += 1;
      chunks += pieces.length;
    }
    expect(streams).toBe(162);
    expect(chunks).toBeGreaterThan(8000);
  });

  it("neither do line ends of the other kinds, a byte order mark or a last line that is not ended", () => {
    for (const { id, wire, bytes } of recordedStreams()) {
      if (FAILED[id] !== undefined || wire === "bedrock") continue;
      const body = Buffer.from(bytes).toString();
      const whole = decodePieces(streamWires[wire], [body]);
      const others = [body.replaceAll(/\r?\n/g, "\r\n"), `\ufeff${body}`, body.trimEnd()];
      if (wire !== "ollama") others.push(body.replaceAll(/\r?\n/g, "\r"));
      for (const other of others) expect(decodePieces(streamWires[wire], [other]), id).toEqual(whole);
    }
  });

  it("every stream that came without its request becomes a response", () => {
    const loose = readLooseBodies().filter(({ format, body }) => format !== "json" || body.startsWith("data:"));
    for (const body of loose) {
      const decoded = decodePieces(streamWires[wireOfLoose(body)], [looseBytes(body)]);
      expect(findResponseFlaw(decoded.response), body.source).toBeUndefined();
      expectDeltasToTell(decoded, body.source);
    }
    expect(loose.length).toBe(41);
  });
});

function decodeRecorded({ request, response, streaming }: Recorded): LlmTurnResponse {
  const wire = streamWires[wireOf(request.url) ?? "openai"];
  if (streaming) return decodePieces(wire, [Buffer.from(response.body, response.body_encoding ?? "utf8")]).response;
  return wire.decode(JSON.parse(response.body), plainDecoding);
}

/** Exchanges whose requests are the same but for the wish for a stream. */
function pairs(): { streamed: Recorded; whole: Recorded }[] {
  const groups = new Map<string, Recorded[]>();
  for (const exchange of allRecorded()) {
    const { request, response, host } = exchange;
    const isLater = request.body.includes('"background":true');
    if (response.status !== 200 || isLater || !isJson(request.body) || wireOf(request.url) === undefined) continue;
    // Some wires ask for a stream by the path.
    const path = request.url.replace(/[?#].*$/, "").replace("streamGenerateContent", "generateContent");
    const { stream: _stream, stream_options: _options, ...rest } = JSON.parse(request.body) as Record<string, unknown>;
    const key = `${host} ${path.replace("converse-stream", "converse")} ${JSON.stringify(rest)}`;
    groups.set(key, [...(groups.get(key) ?? []), exchange]);
  }
  return [...groups.values()].flatMap((group) => {
    const whole = group.find(({ streaming }) => !streaming);
    return group.flatMap((streamed) => (streamed.streaming && whole !== undefined ? { streamed, whole } : []));
  });
}

/** Two requests were not recorded, and one is torn. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
  d67c2409c6645fef: "the vendor reports the counts of its cache in the whole answer alone",
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
      // Signatures of thoughts and results of searches count as input, and differ.
      const isSigned = ["responses", "gemini"].includes(wireOf(streamed.request.url) ?? "");
      if (isSigned) for (const { usage } of [a, b]) if (usage !== undefined) usage.inputTokens = 0;
      if (JSON.stringify(shapeOf(a)) !== JSON.stringify(shapeOf(b))) unlike.push(streamed.id);
      else if (a.message.content === b.message.content) sameWords += 1;
    }
    expect(unlike.sort()).toEqual(Object.keys(UNLIKE).sort());
    expect(all.length).toBe(239);
    expect(sameWords).toBeGreaterThan(100);
  });
});
