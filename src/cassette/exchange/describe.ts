// An exchange in words and sizes, for reports. Safe to print.

import { fromBase64, toVisible } from "../../core/index.js";
import type { ExchangePart, ExchangeRequestBody, ExchangeResponseBody, RecordedExchange } from "../file/format.js";

/** `POST /v1/embeddings`. */
export function nameOf({ method, path }: Pick<RecordedExchange, "method" | "path">): string {
  return toVisible(`${method} ${path}`);
}

/** Bytes of the body of a request or an answer. JSON counts as it is written without spaces. */
export function sizeOf(body: ExchangeRequestBody | ExchangeResponseBody | ExchangePart | undefined): number {
  if (body === undefined) return 0;
  if ("json" in body) return utf8Length(JSON.stringify(body.json));
  if ("base64" in body) return fromBase64(body.base64)?.length ?? 0;
  if ("parts" in body) return body.parts.reduce((sum, part) => sum + sizeOf(part), 0);
  if ("bytes" in body) return body.bytes ?? 0;
  return utf8Length(body.text ?? "");
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
