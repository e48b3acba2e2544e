// A vendor whose wire is known, as a provider: the same request with or without streaming, and one response either way.

import { defined } from "../defined.js";
import type { JsonObject } from "../canon/value.js";
import { AgentError } from "../errors.js";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnRequest } from "../model/provider.js";
import { readStream } from "../model/stream.js";
import type { StreamWire } from "../http/fold.js";
import { assertRequest } from "./request.js";
import { createStreamDecoder } from "./stream.js";
import type { Vendor } from "./vendor.js";

/** What one wire says. */
export interface Dialect {
  wire: StreamWire;
  headers: Readonly<Record<string, string>>;
  encode: (request: LlmTurnRequest) => JsonObject;
  /** The fields of the body that ask for a stream. */
  streamFields: JsonObject;
}

/** With `streaming`, `turn` streams inside and gives the response alone. */
export function createAdapter(vendor: Vendor, dialect: Dialect, streaming = false): LlmProviderAdapter {
  const { wire, headers, encode } = dialect;
  const { name, decoding } = vendor;
  return {
    name,
    async turn(request) {
      if (streaming) return readStream(callStream(vendor, dialect, request), name);
      assertRequest(name, request);
      const json = await vendor.post(encode(request), headers, request);
      return vendor.price(wire.decode(json, decoding), request);
    },
    async *stream(request) {
      let hasStarted = false;
      try {
        for await (const event of callStream(vendor, dialect, request)) {
          hasStarted = true;
          yield event;
        }
      } catch (error) {
        throw hasStarted ? toStarted(error) : error;
      }
    },
  };
}

async function* callStream(
  vendor: Vendor,
  { wire, headers, encode, streamFields }: Dialect,
  request: LlmTurnRequest,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  assertRequest(vendor.name, request);
  const decoder = createStreamDecoder(wire, vendor.decoding);
  for await (const bytes of vendor.stream({ ...encode(request), ...streamFields }, headers, request)) {
    yield* decoder.feed(bytes);
    if (decoder.isEnded) break;
  }
  const { deltas, response } = decoder.end();
  yield* deltas;
  yield { type: "response", response: vendor.price(response, request) };
}

/** The same error, which says that the caller has heard a part of the answer. */
function toStarted(error: unknown): unknown {
  if (!(error instanceof AgentError)) return error;
  const { code, message, hint, retryable, kind, cause } = error;
  return new AgentError(code, message, {
    ...defined({ hint, kind }),
    retryable,
    cause,
    responseStarted: true,
  });
}
