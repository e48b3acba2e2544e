// HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/): {log: {entries: [{request, response}]}}. Polly.JS recordings have
// the same shape, but where the answer was compressed, `content.text` is a JSON array of base64 pieces of the stream.

import { defined, parseBoundedJson, type JsonObject, type JsonValue } from "../../../core/index.js";
import { listIn, toList, toName, toNumber, toObject, toText } from "../foreign-json.js";
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

export function isHar(record: JsonValue): boolean {
  return Array.isArray(toObject(toObject(record)["log"])["entries"]);
}

export function readHar(record: JsonValue): HttpRecording {
  const log = toObject(toObject(record)["log"]);
  const exchanges = listIn(log, "entries", "a HAR archive").map((entry) => readEntry(toObject(entry)));
  return { ...defined({ name: toName(log["_recordingName"]) }), exchanges };
}

function readEntry(entry: JsonObject): HttpExchange {
  const [request, response] = [toObject(entry["request"]), toObject(entry["response"])];
  const [posted, content] = [toObject(request["postData"]), toObject(response["content"])];
  const type = headerOf(request["headers"], "content-type") || toText(posted["mimeType"]);
  return {
    method: toText(request["method"]).toUpperCase(),
    url: toText(request["url"]),
    status: toNumber(response["status"]) ?? 0,
    request: readPosted(posted, type),
    answer: readContent(content),
    encoding: encodingOf(response["headers"]),
    type,
    headers: keptHeaders(response["headers"], toText(content["mimeType"])),
    isAsset: ASSET.test(toText(entry["_resourceType"])),
  };
}

/** Values of `_resourceType` by Chromium that no program asks for. */
const ASSET = /^(?:document|font|image|manifest|media|script|stylesheet|texttrack|websocket)$/;

/** A form may be a list of its parameters (HAR 1.2). */
function readPosted({ text, params }: JsonObject, type: string): RecordedBody {
  const fields = toList(params).map(toObject);
  if (text !== undefined || fields.length === 0) return toBody(text);
  if (!/x-www-form-urlencoded/i.test(type)) return { kind: "lost", why: "its form is not in the recording" };
  const pairs = fields.map(({ name, value }): [string, string] => [toText(name), toText(value)]);
  return { kind: "text", text: new URLSearchParams(pairs).toString() };
}

function readContent({ text, encoding, size }: JsonObject): RecordedBody {
  if (text === undefined && (toNumber(size) ?? 0) > 0) return { kind: "lost", why: "only its size was recorded" };
  if (encoding !== "base64" || typeof text !== "string") return toBody(text);
  if (!text.trimStart().startsWith("[")) return fromBase64Pieces([text]);
  try {
    const pieces = parseBoundedJson(text);
    if (Array.isArray(pieces)) return fromBase64Pieces(pieces);
  } catch {
    // Reported below.
  }
  return { kind: "lost", why: "it is neither base64 nor a list of base64 pieces" };
}
