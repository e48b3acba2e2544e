// A span in OTLP/JSON (OpenTelemetry protocol, "JSON Protobuf Encoding"): ids are hexadecimal, 64-bit integers are text.

import { defined, hashJson, type JsonObject, type JsonValue } from "../../core/index.js";

/** Attributes by name; undefined ones are left out. A list is a list of texts. */
export type Attributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface SpanShape {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: "internal" | "client";
  startNs: bigint;
  endNs: bigint;
  attributes: Attributes;
  isError?: boolean;
}

/** `SpanKind` and `StatusCode` of trace.proto. */
const KINDS = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;

export function toSpan(span: SpanShape): JsonObject {
  const { traceId, spanId, parentSpanId, name, kind, startNs, endNs, attributes, isError = false } = span;
  return {
    traceId,
    spanId,
    ...defined({ parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(endNs),
    attributes: toAttributes(attributes),
    status: isError ? { code: STATUS_ERROR } : {},
  };
}

export function toAttributes(attributes: Attributes): JsonObject[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toAnyValue(value) }],
  );
}

function toAnyValue(value: string | number | readonly string[]): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value !== "number") return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** 16 bytes as hexadecimal, derived from the parts. */
export function toTraceId(parts: JsonValue): string {
  return hashJson(parts).slice(0, 32);
}

/** 8 bytes as hexadecimal, derived from the parts. */
export function toSpanId(parts: JsonValue): string {
  return hashJson(parts).slice(0, 16);
}
