// Every recorded exchange, and the part of it that belongs to our wires: chat completions, messages and Ollama chat,
// whole or streamed.

import type { LlmStreamDelta, LlmTurnResponse } from "../../src/core/model/provider.js";
import { anthropicStream } from "../../src/core/vendors/anthropic/fold.js";
import type { StreamWire } from "../../src/core/http/fold.js";
import { ollamaStream } from "../../src/core/vendors/ollama/fold.js";
import { openAiStream } from "../../src/core/vendors/openai/fold.js";
import { createStreamDecoder } from "../../src/core/providers/stream.js";
import { plainDecoding, type Decoding } from "../../src/core/http/json-readers.js";
import { readSharedLines } from "./shared.js";
import { exchangeFiles } from "./wire.js";

export interface Recorded {
  id: string;
  source: string;
  index: number;
  host: string;
  streaming: boolean;
  scenario?: string;
  request: { url: string; body: string };
  response: { status: number; headers: Record<string, string | string[]>; body: string; chunks?: string[] };
}

export type WireName = "openai" | "anthropic" | "ollama";

export const streamWires: Record<WireName, StreamWire> = {
  openai: openAiStream,
  anthropic: anthropicStream,
  ollama: ollamaStream,
};

const PATHS: Record<WireName, RegExp> = {
  openai: /\/chat\/completions([?#]|$)/,
  anthropic: /\/v1\/messages([?#]|$)/,
  ollama: /\/api\/chat([?#]|$)/,
};

/** The wire that a URL belongs to, or undefined for another endpoint. */
export function wireOf(url: string): WireName | undefined {
  return (Object.keys(PATHS) as WireName[]).find((name) => PATHS[name].test(url));
}

const files = new Map<string, readonly Recorded[]>();

/** All exchanges of one file, read once. */
export function readRecorded(file: string): readonly Recorded[] {
  const known = files.get(file) ?? readSharedLines<Recorded>(`data/http/${file}.jsonl.gz`);
  files.set(file, known);
  return known;
}

export function allRecorded(): Recorded[] {
  return exchangeFiles.flatMap((file) => [...readRecorded(file)]);
}

/** The exchange with this id. Throws if it is missing, so that a test which names one cannot pass without it. */
export function findRecorded(id: string): Recorded {
  const found = allRecorded().find((exchange) => exchange.id === id);
  if (found === undefined) throw new Error(`no recorded exchange has the id ${id}`);
  return found;
}

/** A recorded stream with its wire. */
export interface RecordedStream {
  id: string;
  wire: WireName;
  body: string;
  chunks?: string[];
}

/** All streams of our three wires that were answered with 200. */
export function recordedStreams(): RecordedStream[] {
  return allRecorded().flatMap(({ id, streaming, request, response }) => {
    const wire = wireOf(request.url);
    if (!streaming || response.status !== 200 || wire === undefined) return [];
    const { body, chunks } = response;
    return [{ id, wire, body, ...(chunks === undefined ? {} : { chunks }) }];
  });
}

/** A body that was recorded without its request. */
export interface LooseBody {
  source: string;
  provider: string;
  format: "json" | "sse" | "ndjson" | "data-lines";
  streaming: boolean;
  body: string;
}

export function readLooseBodies(): LooseBody[] {
  return readSharedLines<LooseBody>("data/http/response-only.jsonl.gz");
}

/** Some sources keep only the data of each event, one per line. This restores the framing. */
export function toSse(dataLines: string): string {
  return dataLines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `data: ${line}\n\n`)
    .join("");
}

export interface Decoded {
  deltas: LlmStreamDelta[];
  response: LlmTurnResponse;
}

/** Feeds the pieces one after the other, as a transport would. */
export function decodePieces(
  wire: StreamWire,
  pieces: Iterable<Uint8Array | string>,
  decoding: Decoding = plainDecoding,
): Decoded {
  const decoder = createStreamDecoder(wire, decoding);
  const encoder = new TextEncoder();
  const deltas: LlmStreamDelta[] = [];
  for (const piece of pieces) {
    deltas.push(...decoder.feed(typeof piece === "string" ? encoder.encode(piece) : piece));
    if (decoder.isEnded) break;
  }
  const last = decoder.end();
  return { deltas: [...deltas, ...last.deltas], response: last.response };
}

/** The text of the deltas of one kind. */
export function textOfDeltas(deltas: readonly LlmStreamDelta[], type: "text-delta" | "reasoning-delta"): string {
  return deltas.map((delta) => (delta.type === type ? delta.text : "")).join("");
}

/** A stream of server-sent events, one for each value. Text is used unchanged. */
export function sse(...events: unknown[]): string {
  return events.map((data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`).join("");
}

/** The Messages API names its events. */
export function namedSse(...events: { type: string }[]): string {
  return events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
}
