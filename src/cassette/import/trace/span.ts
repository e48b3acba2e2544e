// Spans of OpenTelemetry in their two encodings: OTLP/JSON (opentelemetry-proto, `ExportTraceServiceRequest`), and ended
// spans as the JavaScript SDK has them (`ReadableSpan`: spanContext, startTime as [seconds, nanoseconds], plain attributes).

import { MAX_JSON_DEPTH, setOwn, type JsonObject, type JsonValue } from "../../../core/index.js";
import { isObject, malformed, toName, toNumber, toText } from "../value.js";

/** A span, whatever its encoding. */
export interface Span {
  traceId: string;
  spanId: string;
  parentId?: string;
  name: string;
  /** Nanoseconds since 1970. */
  start: bigint;
  attributes: JsonObject;
  events: { name: string; attributes: JsonObject }[];
  isFailed: boolean;
}

export function isOtlp(record: JsonValue): boolean {
  return isObject(record) && Array.isArray(record["resourceSpans"] ?? record["resource_spans"]);
}

export function isEndedSpan(record: JsonValue): boolean {
  if (!isObject(record) || typeof record["name"] !== "string" || !isObject(record["attributes"])) return false;
  const { spanContext, traceId } = record;
  return typeof traceId === "string" || (isObject(spanContext) && typeof spanContext["traceId"] === "string");
}

/** All spans of OTLP/JSON requests. */
export function otlpSpans(requests: readonly JsonValue[]): Span[] {
  const within = (value: JsonValue, ...names: string[]): JsonObject[] => {
    const list = isObject(value) ? names.map((name) => value[name]).find(Array.isArray) : undefined;
    return (list ?? []).filter(isObject);
  };
  return requests
    .flatMap((request) => within(request, "resourceSpans", "resource_spans"))
    .flatMap((resource) => within(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"))
    .flatMap((scope) => within(scope, "spans"))
    .map((span): Span => {
      const { parentSpanId, status, startTimeUnixNano } = span;
      const code = isObject(status) ? status["code"] : undefined;
      return {
        traceId: toText(span["traceId"]),
        spanId: toText(span["spanId"]),
        ...(typeof parentSpanId === "string" && parentSpanId !== "" ? { parentId: parentSpanId } : {}),
        name: toText(span["name"]),
        start: toNanoseconds(startTimeUnixNano),
        attributes: fromPairs(span["attributes"]),
        events: within(span, "events").map((event) => ({
          name: toText(event["name"]),
          attributes: fromPairs(event["attributes"]),
        })),
        isFailed: code === 2 || code === "STATUS_CODE_ERROR",
      };
    });
}

/** Ended spans as the SDK has them. */
export function endedSpans(list: readonly JsonValue[]): Span[] {
  return list.filter(isObject).map((span): Span => {
    const { spanContext, parentSpanContext, startTime, status, attributes, events } = span;
    const context = isObject(spanContext) ? spanContext : span;
    const parent = isObject(parentSpanContext)
      ? parentSpanContext["spanId"]
      : (span["parentSpanId"] ?? span["parentId"]);
    return {
      traceId: toText(context["traceId"]),
      spanId: toName(context["spanId"] ?? span["id"]) ?? "",
      ...(typeof parent === "string" && parent !== "" ? { parentId: parent } : {}),
      name: toText(span["name"]),
      start: toNanoseconds(startTime ?? span["timestamp"]),
      attributes: isObject(attributes) ? attributes : {},
      events: (Array.isArray(events) ? events.filter(isObject) : []).map((event) => ({
        name: toText(event["name"]),
        attributes: isObject(event["attributes"]) ? event["attributes"] : {},
      })),
      isFailed: isObject(status) && (status["code"] === 2 || status["code"] === "ERROR"),
    };
  });
}

/** A time as nanoseconds in text, as [seconds, nanoseconds], as a date, or as a number that only orders. */
function toNanoseconds(time: JsonValue | undefined): bigint {
  if (typeof time === "string" && /^\d{1,30}$/.test(time)) return BigInt(time);
  if (typeof time === "string") return BigInt(Math.round(Date.parse(time) || 0)) * 1_000_000n;
  if (typeof time === "number") return toWhole(time);
  const [seconds, nanoseconds] = Array.isArray(time) ? time : [];
  return toWhole(seconds) * 1_000_000_000n + toWhole(nanoseconds);
}

/** 0 for what is no number, or none that a double holds. */
function toWhole(value: JsonValue | undefined): bigint {
  return BigInt(Math.round(toNumber(value) ?? 0));
}

/** `[{key, value: AnyValue}]` as an object. */
function fromPairs(pairs: JsonValue | undefined): JsonObject {
  const result: JsonObject = {};
  for (const pair of Array.isArray(pairs) ? pairs : []) {
    if (isObject(pair) && typeof pair["key"] === "string") setOwn(result, pair["key"], fromAnyValue(pair["value"]));
  }
  return result;
}

/** opentelemetry-proto, common.proto `AnyValue`, in its JSON form: 64-bit integers are text. */
function fromAnyValue(value: JsonValue | undefined): JsonValue {
  if (!isObject(value)) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (intValue !== undefined) return fromInteger(intValue);
  if (isObject(arrayValue)) return Array.isArray(arrayValue["values"]) ? arrayValue["values"].map(fromAnyValue) : [];
  if (isObject(kvlistValue)) return fromPairs(kvlistValue["values"]);
  return stringValue ?? boolValue ?? doubleValue ?? bytesValue ?? null;
}

/** One that a double does not keep, or that is none, stays as it is written. */
function fromInteger(value: JsonValue): JsonValue {
  const number = toNumber(value);
  return number !== undefined && Number.isSafeInteger(number) ? number : value;
}

/** Names nest as JSON does; those of a model call have some ten parts. */
const MAX_STEPS = MAX_JSON_DEPTH;

/** The attributes below `prefix`, the dots of their names made into objects and lists: `a.0.b` of `a` is `[{b}]`. */
export function nestBelow(attributes: JsonObject, prefix: string): JsonValue | undefined {
  const root: JsonObject = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(`${prefix}.`)) continue;
    const path = name.slice(prefix.length + 1).split(".", MAX_STEPS + 1);
    if (path.length > MAX_STEPS) throw malformed(`a name below "${prefix}" has more than ${MAX_STEPS} parts`);
    let at = root;
    for (const step of path.slice(0, -1)) {
      const next = Object.hasOwn(at, step) ? at[step] : undefined;
      const own = isObject(next) ? next : {};
      setOwn(at, step, own);
      at = own;
    }
    setOwn(at, path.at(-1) ?? "", value);
  }
  return Object.keys(root).length === 0 ? undefined : toLists(root);
}

function toLists(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length > 0 && keys.every((key) => /^\d{1,9}$/.test(key))) {
    return keys.sort((a, b) => Number(a) - Number(b)).map((key) => toLists(value[key] as JsonValue));
  }
  return Object.fromEntries(keys.map((key) => [key, toLists(value[key] as JsonValue)]));
}
