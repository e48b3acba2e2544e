// Every recorded exchange, and the turns among them, whole or streamed.

import type { LlmStreamDelta, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { StreamWire } from "../../src/core/http/fold.js";
import type { WireName } from "../../src/core/vendors/table.js";
import { VENDORS, wireOf as vendorOf } from "../../src/core/vendors/vendors.js";
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
  response: {
    status: number;
    headers: Record<string, string | string[]>;
    body: string;
    body_encoding?: "base64";
    chunks?: string[];
  };
}

export type { WireName };

export const streamWires = Object.fromEntries(
  Object.entries(VENDORS).map(([name, { format }]) => [name, format]),
) as Record<WireName, StreamWire>;

/** The wire that a URL belongs to, or undefined for another endpoint. */
export function wireOf(url: string): WireName | undefined {
  return vendorOf({ method: "POST", path: url.replace(/[?#].*$/, "") })?.name as WireName | undefined;
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
  bytes: Uint8Array;
  chunks?: string[];
}

/** All streams of turns that were answered with 200. */
export function recordedStreams(): RecordedStream[] {
  return allRecorded().flatMap(({ id, streaming, request, response }) => {
    const wire = wireOf(request.url);
    if (!streaming || response.status !== 200 || wire === undefined) return [];
    const { body, body_encoding: encoding = "utf8", chunks } = response;
    return [{ id, wire, bytes: Buffer.from(body, encoding), ...(chunks === undefined ? {} : { chunks }) }];
  });
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
    if (decoder.isEnded()) break;
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
