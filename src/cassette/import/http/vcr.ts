// The VCR family: vcr.py and go-vcr (`interactions`), Ruby's and R's VCR (`http_interactions`), in YAML or JSON. A body is text,
// {string}, {base64_string}, `parsed_body`, or YAML's `!!binary`, which arrives here as {"!!binary": base64}.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { isObject, malformed, toNumber, toObject, toText } from "../foreign-json.js";
import { fromBase64Pieces } from "./base64.js";
import {
  encodingOf,
  headerOf,
  keptHeaders,
  toBody,
  type HttpExchange,
  type HttpRecording,
  type RecordedBody,
} from "./exchange.js";

/** The key that holds the bytes of a YAML `!!binary`, as base64. */
export const BINARY_KEY = "!!binary";

/** Recognises a recording of the family, which may have no interactions. */
export function isVcr(record: JsonValue): boolean {
  const list = interactionsOf(record);
  return list !== undefined && list.every((item) => isObject(item) && isObject(item["request"]));
}

function interactionsOf(record: JsonValue): JsonValue[] | undefined {
  const { interactions, http_interactions: others } = toObject(record);
  const list = interactions ?? others;
  return Array.isArray(list) ? list : undefined;
}

export function readVcr(record: JsonValue): HttpRecording {
  const list = interactionsOf(record);
  if (list === undefined) throw malformed("it is not a VCR recording: `interactions` must be a list");
  return { exchanges: list.map((interaction) => readInteraction(toObject(interaction))) };
}

function readInteraction(interaction: JsonObject): HttpExchange {
  const [request, response] = [toObject(interaction["request"]), toObject(interaction["response"])];
  const { status } = response;
  return {
    method: toText(request["method"]).toUpperCase(),
    url: toText(request["uri"] ?? request["url"]),
    // go-vcr has the number next to the words, the others inside `status`.
    status: toNumber(response["code"] ?? (isObject(status) ? status["code"] : status)) ?? 0,
    request: readBody(request),
    answer: readBody(response),
    encoding: encodingOf(response["headers"]),
    type: headerOf(request["headers"], "content-type"),
    headers: keptHeaders(response["headers"]),
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
