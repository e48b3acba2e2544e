// The VCR family: vcr.py and go-vcr (`interactions`), Ruby's and R's VCR (`http_interactions`), in YAML or JSON. A body is text,
// {string}, {base64_string}, `parsed_body`, or YAML's `!!binary`, which arrives as {"!!binary": base64}.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { isObject, malformed, toNumber, toText } from "../value.js";
import { fromBase64Pieces } from "./base64.js";
import { headerOf, toBody, type HttpExchange, type HttpRecording, type RecordedBody } from "./exchange.js";

/** The key for the bytes of a YAML `!!binary`, as base64. */
export const BINARY_KEY = "!!binary";

/** True for a recording of the family, even without interactions. */
export function isVcr(record: JsonValue): boolean {
  const list = interactionsOf(record);
  return list !== undefined && list.every((item) => isObject(item) && isObject(item["request"]));
}

function interactionsOf(record: JsonValue): JsonValue[] | undefined {
  if (!isObject(record)) return undefined;
  const list = record["interactions"] ?? record["http_interactions"];
  return Array.isArray(list) ? list : undefined;
}

/** Reads a recording. */
export function readVcr(record: JsonValue): HttpRecording {
  const list = interactionsOf(record);
  if (list === undefined) throw malformed("it is not a VCR recording: it has no interactions");
  return { exchanges: list.map((interaction) => readInteraction(interaction)) };
}

function readInteraction(interaction: JsonValue): HttpExchange {
  const { request, response } = isObject(interaction) ? interaction : {};
  const asked = isObject(request) ? request : {};
  const answered = isObject(response) ? response : {};
  const { status } = answered;
  return {
    method: toText(asked["method"]).toUpperCase(),
    url: toText(asked["uri"] ?? asked["url"]),
    // go-vcr has the number next to the words, the others inside of `status`.
    status: toNumber(answered["code"] ?? (isObject(status) ? status["code"] : status)) ?? 0,
    request: readBody(asked),
    answer: readBody(answered),
    encoding: headerOf(answered["headers"], "content-encoding").toLowerCase(),
  };
}

function readBody(side: JsonObject): RecordedBody {
  const { body, parsed_body: parsed } = side;
  if (parsed !== undefined && parsed !== null) return { kind: "json", value: parsed };
  if (!isObject(body)) return toBody(body);
  const own = body["string"] ?? body["base64_string"];
  if (own === undefined) return readText(body);
  return body["string"] === undefined ? fromBase64Pieces([toText(own)]) : readText(own);
}

function readText(body: JsonValue): RecordedBody {
  if (!isObject(body)) return toBody(body);
  const binary = body[BINARY_KEY];
  if (typeof binary === "string") return fromBase64Pieces([binary]);
  return Object.keys(body).length === 0 ? { kind: "none" } : { kind: "json", value: body };
}
