// Bodies as a cassette keeps them: JSON as a value if nothing of it is lost, text as text, other bytes as a hash or in base64.

import {
  decodeExactUtf8,
  findDropped,
  findTooDeep,
  fromBase64,
  MAX_JSON_DEPTH,
  seal,
  sha256Hex,
  toBase64,
  type JsonValue,
} from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { ExchangeRequestBody, ExchangeResponseBody } from "../file/format.js";
import { MAX_EXCHANGE_BYTES } from "../limits.js";
import { boundaryOf, readParts } from "./multipart.js";

/** Levels left at /extensions/exchanges/0/request/json. */
const JSON_DEPTH = MAX_JSON_DEPTH - 5;

const TEXTUAL =
  /^text\/|[/+](?:json|xml|yaml)$|\/(?:x-www-form-urlencoded|(?:x-)?(?:nd|json-?l|json-?seq)\w*|javascript|graphql)$/;

/** The body of a request. Throws `not-recordable` for a text beyond the limit. */
export function toRequestBody(bytes: Uint8Array, type: string | undefined): ExchangeRequestBody | undefined {
  if (bytes.length === 0) return undefined;
  const media = mediaOf(type);
  const boundary = boundaryOf(type);
  const parts = boundary === undefined ? undefined : readParts(bytes, boundary);
  if (parts !== undefined) return { parts };
  const text = isTextual(type) ? decodeExactUtf8(bytes) : undefined;
  if (text === undefined)
    return { sha256: sha256Hex(bytes), bytes: bytes.length, ...(media === "" ? {} : { type: media }) };
  assertSize(bytes.length, "the body of the request");
  return toJson(text, media) ?? { text };
}

/** The body of an answer. Throws `not-recordable` beyond the limit. */
export function toResponseBody(bytes: Uint8Array, type: string | undefined): ExchangeResponseBody | undefined {
  if (bytes.length === 0) return undefined;
  assertSize(bytes.length, "the answer");
  const media = mediaOf(type);
  const text = isTextual(type) ? decodeExactUtf8(bytes) : undefined;
  return text === undefined ? { base64: toBase64(bytes) } : (toJson(text, media) ?? { text });
}

/** The bytes that a kept answer stands for. JSON is written without spaces. */
export function toBytes(body: ExchangeResponseBody | undefined): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if ("base64" in body) return fromBase64(body.base64) ?? new Uint8Array();
  return new TextEncoder().encode("json" in body ? JSON.stringify(body.json) : body.text);
}

/** The media type without parameters, in lower case. */
export function mediaOf(type: string | undefined): string {
  return (type ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** True for a body that is read as UTF-8. One without a type mostly is JSON. */
export function isTextual(type: string | undefined): boolean {
  const media = mediaOf(type);
  return media === "" || TEXTUAL.test(media);
}

/** Undefined if the text is not JSON, or would not mean the same after it is parsed and written. */
function toJson(text: string, media: string): { json: JsonValue } | undefined {
  if (media !== "" && !/[/+]json$/.test(media)) return undefined;
  if (findTooDeep(text, JSON_DEPTH) !== undefined) return undefined;
  try {
    const { json } = seal({ json: JSON.parse(text) as JsonValue });
    return findDropped(text) === undefined ? { json } : undefined;
  } catch {
    // Not JSON, or a lone surrogate.
    return undefined;
  }
}

function assertSize(bytes: number, what: string): void {
  if (bytes <= MAX_EXCHANGE_BYTES) return;
  throw new CassetteError(
    "not-recordable",
    `${what} has ${bytes} bytes, more than the limit of ${MAX_EXCHANGE_BYTES}`,
    {
      hint: "Answer this request from a test double of your own, or leave it unrecorded.",
    },
  );
}
