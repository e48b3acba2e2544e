// The three wires as one table, for a server that speaks all of them: reading a request, writing the answer or the refusal,
// and what a request looks like once it went through the wire.

import type { JsonObject } from "../canon/value.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../model/provider.js";
import { decodeAnthropic } from "./anthropic/decode.js";
import { encodeAnthropic } from "./anthropic/encode.js";
import { anthropicStream } from "./anthropic/fold.js";
import { decodeOllama } from "./ollama/decode.js";
import { encodeOllama } from "./ollama/encode.js";
import { ollamaStream } from "./ollama/fold.js";
import { decodeOpenAi } from "./openai/decode.js";
import { encodeOpenAi } from "./openai/encode.js";
import { openAiStream } from "./openai/fold.js";
import { createStreamDecoder, type StreamDecoder } from "../providers/stream.js";
import { plainDecoding } from "../http/json-readers.js";
import { readAnswer, type CollectedAnswer, type NoteLoss, type PassedParts } from "./answer.js";
import { parseAnthropic } from "./anthropic/parse.js";
import { anthropicEvents, streamAnthropic, writeAnthropic } from "./anthropic/write.js";
import { failAnthropic, failOllama, failOpenAi, type WireFailure } from "../wire/failure.js";
import { parseOllama } from "./ollama/parse.js";
import { ollamaEvents, streamOllama, writeOllama } from "./ollama/write.js";
import { parseOpenAi } from "./openai/parse.js";
import { openAiEvents, streamOpenAi, writeOpenAi } from "./openai/write.js";
import type { Cut, TimedText } from "../wire/cut.js";
import { carryMessageFields, wireFieldsOf, withWireFields, type WireName } from "../wire/fields.js";
import type { WireStamp } from "../wire/pieces.js";
import type { WireRequest, WireTurn } from "../wire/turn.js";

export type { WireName };

/** One vendor's wire, seen from the server's side. */
export interface Wire {
  readonly name: WireName;
  /** Throws `invalid-options` for a body that holds what a turn request cannot. */
  parse(body: unknown): WireTurn;
  /** The body of the same request as our own adapter would send it. Throws where the wire cannot carry it. */
  encode(request: LlmTurnRequest, model: string, maxTokens: number): JsonObject;
  /** Reads an answer that was collected. `passed` gets the deltas of a stream, `note` what is left out. Throws `provider-response`. */
  read(answer: CollectedAnswer, passed?: PassedParts, note?: NoteLoss): LlmTurnResponse;
  /** Reads a streamed answer as it comes; the decoder throws `provider-response`. */
  decoder(): StreamDecoder;
  write(response: LlmTurnResponse, stamp: WireStamp): JsonObject;
  stream(response: LlmTurnResponse, stamp: WireStamp): string[];
  /** What `stream` gives, cut as `cut` says. Times go by what an event carries: 0 for one that carries nothing. */
  events(response: LlmTurnResponse, stamp: WireStamp, cut?: Cut): TimedText[];
  readonly streamType: string;
  fail(failure: WireFailure): JsonObject;
}

/** Every wire by name. */
export const WIRES: Readonly<Record<WireName, Wire>> = {
  openai: {
    name: "openai",
    parse: parseOpenAi,
    encode: (request, model) => encodeOpenAi(request, { model, maxTokensField: "max_completion_tokens" }),
    read: (answer, ...rest) => readAnswer(answer, openAiStream, decodeOpenAi, ...rest),
    decoder: () => createStreamDecoder(openAiStream, plainDecoding),
    write: writeOpenAi,
    stream: streamOpenAi,
    events: openAiEvents,
    streamType: "text/event-stream; charset=utf-8",
    fail: failOpenAi,
  },
  anthropic: {
    name: "anthropic",
    parse: parseAnthropic,
    encode: (request, model, maxTokens) => encodeAnthropic(request, { model, maxTokens }),
    read: (answer, ...rest) => readAnswer(answer, anthropicStream, decodeAnthropic, ...rest),
    decoder: () => createStreamDecoder(anthropicStream, plainDecoding),
    write: writeAnthropic,
    stream: streamAnthropic,
    events: anthropicEvents,
    streamType: "text/event-stream; charset=utf-8",
    fail: failAnthropic,
  },
  ollama: {
    name: "ollama",
    parse: parseOllama,
    encode: (request, model) => encodeOllama(request, { model }),
    read: (answer, ...rest) => readAnswer(answer, ollamaStream, decodeOllama, ...rest),
    decoder: () => createStreamDecoder(ollamaStream, plainDecoding),
    write: writeOllama,
    stream: streamOllama,
    events: ollamaEvents,
    streamType: "application/x-ndjson",
    fail: failOllama,
  },
};

/** Path endings of each vendor's chat endpoint. What records over HTTP and what replays over HTTP both go by this list. */
const ENDINGS: readonly (readonly [string, WireName])[] = [
  ["/chat/completions", "openai"],
  ["/messages", "anthropic"],
  ["/api/chat", "ollama"],
];

/**
 * The wire of a request by the end of its path (without a query), whatever comes before it: a version, a gateway's prefix, an
 * Azure deployment. Undefined for a request that is not a conversation turn.
 */
export function wireOf({ method, path }: { method: string; path: string }): Wire | undefined {
  const name = method === "POST" ? ENDINGS.find(([ending]) => path.endsWith(ending))?.[1] : undefined;
  // OpenAI's threads also have messages, which are not conversation turns.
  if (name === undefined || (name === "anthropic" && path.includes("/threads/"))) return undefined;
  return WIRES[name];
}

/** Said by the Messages API's encoder alone, where neither side of a comparison names a limit. */
const ANY_LIMIT = 4096;

/**
 * What is left of `request` once it went over `wire`, in the terms of `like`: the model and a limit that a wire demands are
 * taken from there. Fields that the wire's reader kept go along, those of another wire do not. Two requests that leave the same are the same to a server. Undefined where the wire cannot carry it.
 */
export function throughWire(request: LlmTurnRequest, wire: Wire, like: WireRequest): WireRequest | undefined {
  const { model, maxTokens = ANY_LIMIT } = like.settings;
  const asked = { ...request, settings: { ...request.settings, model } };
  try {
    const { settings, messages, ...rest } = wire.parse(wire.encode(asked, model, maxTokens)).request;
    const carried = carryMessageFields(request.messages, messages, wire.name);
    return {
      ...rest,
      messages: carried,
      settings: withWireFields(settings, wire.name, wireFieldsOf(asked.settings, wire.name)),
    };
  } catch {
    return undefined;
  }
}
