// The interface of one vendor for providers, servers, recorders, importers and faults. A folder below implements it, and vendors.ts lists it.

import type { JsonObject } from "../canon/value.js";
import { plainDecoding } from "../http/json-readers.js";
import type { StreamWire } from "../http/fold.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../model/provider.js";
import { createStreamDecoder, type StreamDecoder } from "../providers/stream.js";
import type { VendorCalls } from "../providers/vendor-options.js";
import type { Cut, TimedEvent, WireChunk } from "../wire/cut.js";
import type { HttpFault, HttpFaultName, WireFailure } from "../wire/failure.js";
import type { WireState } from "../wire/held-conversations.js";
import type { HeldState } from "../wire/held-state.js";
import type { WireStamp } from "../wire/pieces.js";
import type { WireTurn } from "../wire/turn.js";
import type { Traits } from "./traits.js";
import { readAnswer, type CollectedAnswer, type NoteLoss, type PassedParts } from "./answer.js";

/** A vendor's HTTP protocol, from the server's side. */
export interface Wire {
  readonly name: string;
  /**
   * Reads a request. `path` is that of its URL, with its query, for what the vendor says there. Throws `invalid-options` for a body that holds
   * something a turn request cannot.
   */
  parse(body: unknown, path?: string): WireTurn;
  /** Returns the body of the same request from our own provider. Throws if the wire cannot carry the request. */
  encode(request: LlmTurnRequest, model: string, maxTokens: number): JsonObject;
  /**
   * Reads a collected answer. `passed` receives the deltas of a stream, `note` what is left out, and `see` the answer as the vendor's
   * JSON. Throws `provider-response`.
   */
  read(answer: CollectedAnswer, passed?: PassedParts, note?: NoteLoss, see?: (json: unknown) => void): LlmTurnResponse;
  /** Reads a streamed answer as it comes; the decoder throws `provider-response`. */
  decoder(): StreamDecoder;
  write(response: LlmTurnResponse, stamp: WireStamp): JsonObject;
  /** The events of a streamed answer, to be sent one after the other. */
  stream(response: LlmTurnResponse, stamp: WireStamp): WireChunk[];
  /** The events of `stream`, cut by `cut`, each with the time of its content. 0 for an event without content. */
  events(response: LlmTurnResponse, stamp: WireStamp, cut?: Cut): TimedEvent[];
  readonly streamType: string;
  /** The body of a refusal, in the shape from which the vendor's clients read an error. */
  fail(failure: WireFailure): JsonObject;
  /** The state on the vendor's server that a request body continues. */
  findHeldState(body: unknown): HeldState | undefined;
  /** How requests continue what the server holds. Absent for a server that holds nothing, or nothing that can be followed. */
  readonly state?: WireState;
}

export interface Vendor extends Wire, Traits, VendorCalls {
  /** Recognises a request body without its path. True if it has marks that only this vendor uses. */
  recognises(body: JsonObject): boolean;
  readonly messagesField: string;
  /** The refusals that the vendor's servers send, with made-up ids and counts. */
  readonly faults: Readonly<Partial<Record<HttpFaultName, HttpFault>>>;
  /** The event that ends a stream that the vendor cannot continue. */
  readonly streamError: WireChunk;
}

/** The members of a vendor that follow from the others. */
type Derived = "encode" | "read" | "decoder" | "stream" | "streamType";

export function defineVendor(parts: Omit<Vendor, Derived>): Vendor {
  const { format, baseURL, events } = parts;
  const host = new URL(baseURL).hostname;
  return {
    ...parts,
    encode: (request, model, maxTokens) =>
      parts.call(request, { options: { model, maxTokens } as { model: string }, key: "", host, streaming: false }).body,
    read: (answer, passed, note, see) =>
      readAnswer(answer, see === undefined ? format : seen(format, see), passed, note),
    decoder: () => createStreamDecoder(format, plainDecoding),
    stream: (response, stamp) => events(response, stamp).map(({ text }) => text),
    streamType: typeOf(format),
  };
}

function seen(format: StreamWire, see: (json: unknown) => void): StreamWire {
  return {
    ...format,
    decode(json, decoding) {
      see(json);
      return format.decode(json, decoding);
    },
  };
}

function typeOf(format: StreamWire): string {
  if ("mediaType" in format) return format.mediaType;
  return format.isSse ? "text/event-stream; charset=utf-8" : "application/x-ndjson";
}
