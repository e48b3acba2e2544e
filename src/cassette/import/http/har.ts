// HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/): {log: {entries: [{request, response}]}}. Polly.JS recordings have
// the same shape, but where the answer was compressed, `content.text` is a JSON array of base64 pieces of the stream.

import { defined, parseBoundedJson, type JsonObject, type JsonValue } from "../../../core/index.js";
import { listIn, toName, toNumber, toObject, toText } from "../foreign-json.js";
import { fromBase64Pieces } from "./base64.js";
import { encodingOf, toBody, type HttpExchange, type HttpRecording, type RecordedBody } from "./exchange.js";

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
  return {
    method: toText(request["method"]).toUpperCase(),
    url: toText(request["url"]),
    status: toNumber(response["status"]) ?? 0,
    request: toBody(toObject(request["postData"])["text"]),
    answer: readContent(toObject(response["content"])),
    encoding: encodingOf(response["headers"]),
  };
}

function readContent({ text, encoding }: JsonObject): RecordedBody {
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
