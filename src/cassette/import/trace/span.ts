// Spans of OpenTelemetry in their two encodings: OTLP/JSON (opentelemetry-proto, `ExportTraceServiceRequest`), and the ended
// spans of the JavaScript SDK (`ReadableSpan`: spanContext, startTime as [seconds, nanoseconds], plain attributes).

import { MAX_JSON_DEPTH, setOwn, type JsonObject, type JsonValue } from "../../../core/index.js";
import { isObject, malformed, toList, toName, toNumber, toObject, toText } from "../foreign-json.js";

export interface Span {
  traceId: string;
  spanId: string;
  parentId?: string | undefined;
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

export function otlpSpans(requests: readonly JsonValue[]): Span[] {
  const within = (value: JsonValue, ...names: string[]): JsonObject[] => {
    const list = names.map((name) => toObject(value)[name]).find(Array.isArray);
    return (list ?? []).filter(isObject);
  };
  return requests
    .flatMap((request) => within(request, "resourceSpans", "resource_spans"))
    .flatMap((resource) => within(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"))
    .flatMap((scope) => within(scope, "spans"))
    .map((span): Span => {
      const { code } = toObject(span["status"]);
      return {
        traceId: toText(span["traceId"]),
        spanId: toText(span["spanId"]),
        parentId: toText(span["parentSpanId"]) || undefined,
        name: toText(span["name"]),
        start: toNanoseconds(span["startTimeUnixNano"]),
        attributes: fromPairs(span["attributes"]),
        events: within(span, "events").map((event) => ({
          name: toText(event["name"]),
          attributes: fromPairs(event["attributes"]),
        })),
        isFailed: code === 2 || code === "STATUS_CODE_ERROR",
      };
    });
}

export function endedSpans(list: readonly JsonValue[]): Span[] {
  return list.filter(isObject).map((span): Span => {
    const { spanContext, parentSpanContext, startTime, status, attributes, events } = span;
    const context = isObject(spanContext) ? spanContext : span;
    const { code } = toObject(status);
    const parent = isObject(parentSpanContext)
      ? parentSpanContext["spanId"]
      : (span["parentSpanId"] ?? span["parentId"]);
    return {
      traceId: toText(context["traceId"]),
      spanId: toName(context["spanId"] ?? span["id"]) ?? "",
      parentId: toText(parent) || undefined,
      name: toText(span["name"]),
      start: toNanoseconds(startTime ?? span["timestamp"]),
      attributes: toObject(attributes),
      events: toList(events)
        .filter(isObject)
        .map((event) => ({ name: toText(event["name"]), attributes: toObject(event["attributes"]) })),
      isFailed: code === 2 || code === "ERROR",
    };
  });
}

/** A time written as nanoseconds in text, as [seconds, nanoseconds], as a date, or as a number that only orders. */
function toNanoseconds(time: JsonValue | undefined): bigint {
  if (typeof time === "string" && /^\d{1,30}$/.test(time)) return BigInt(time);
  if (typeof time === "string") return BigInt(Math.round(Date.parse(time) || 0)) * 1_000_000n;
  if (typeof time === "number") return toWhole(time);
  const [seconds, nanoseconds] = Array.isArray(time) ? time : [];
  return toWhole(seconds) * 1_000_000_000n + toWhole(nanoseconds);
}

/** A whole number; 0 for anything that a double cannot hold. */
function toWhole(value: JsonValue | undefined): bigint {
  return BigInt(Math.round(toNumber(value) ?? 0));
}

/** `[{key, value: AnyValue}]` as an object. */
function fromPairs(pairs: JsonValue | undefined): JsonObject {
  const result: JsonObject = {};
  for (const { key, value } of toList(pairs).map(toObject)) {
    if (typeof key === "string") setOwn(result, key, fromAnyValue(value));
  }
  return result;
}

/** opentelemetry-proto, common.proto `AnyValue`, in its JSON form: 64-bit integers are text. */
function fromAnyValue(value: JsonValue | undefined): JsonValue {
  if (!isObject(value)) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (intValue !== undefined) return fromInteger(intValue);
  if (isObject(arrayValue)) return toList(arrayValue["values"]).map(fromAnyValue);
  if (isObject(kvlistValue)) return fromPairs(kvlistValue["values"]);
  return stringValue ?? boolValue ?? doubleValue ?? bytesValue ?? null;
}

/** An integer; anything that a double cannot hold exactly stays as it is written. */
function fromInteger(value: JsonValue): JsonValue {
  const number = toNumber(value);
  return number !== undefined && Number.isSafeInteger(number) ? number : value;
}

/** Names nest as deep as JSON may; those of a model call have about ten parts. */
const NAME_DEPTH = MAX_JSON_DEPTH;

/** Nests the attributes below `prefix` by the dots in their names, as objects and lists: `a.0.b` below `a` gives `[{b}]`. */
export function nestBelow(attributes: JsonObject, prefix: string): JsonValue | undefined {
  const root: JsonObject = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(`${prefix}.`)) continue;
    const path = name.slice(prefix.length + 1).split(".", NAME_DEPTH + 1);
    if (path.length > NAME_DEPTH) throw malformed(`a name below "${prefix}" has more than ${NAME_DEPTH} parts`);
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
