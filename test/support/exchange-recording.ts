// Recordings with exchanges for tests: requests and answers as plain data, and the cassette that a recorder makes of them.

import type { PlainAnswer, PlainRequest } from "../../src/cassette/exchange/http.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { createRecorder, type RecordingOptions } from "../../src/cassette/record/recorder.js";
import { keepForOracle } from "./oracle.js";
import { fixedPorts } from "./recording.js";

const JSON_TYPE = "application/json";

/** The bytes of a text, or of a value as JSON. */
export function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
}

export function post(url: string, body: unknown, type = JSON_TYPE): PlainRequest {
  return { method: "POST", url, type, body: bytesOf(body) };
}

export function get(url: string): PlainRequest {
  return { method: "GET", url };
}

export function answer(body: unknown, status = 200, headers: Record<string, string> = {}): PlainAnswer {
  return { status, headers: { "content-type": JSON_TYPE, ...headers }, body: bytesOf(body) };
}

/** The JSON of an answer. */
export function jsonOf({ body }: PlainAnswer): unknown {
  return JSON.parse(new TextDecoder().decode(body));
}

/** A cassette of these exchanges and no turns. */
export function recordExchanges(
  pairs: readonly (readonly [PlainRequest, PlainAnswer])[],
  options: RecordingOptions = {},
): CassetteV2 {
  const recorder = createRecorder(() => "proxy", { ports: fixedPorts(), ...options });
  for (const [request, answered] of pairs) recorder.exchange(request).answer(answered);
  return keepForOracle(recorder.toCassette());
}
