// HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/): {log: {entries: [{request, response}]}}. Polly.JS uses it too, but writes a
// compressed answer as `content.text` with a JSON array of base64 pieces of the stream.

import { defined, parseBoundedJson, type JsonObject, type JsonValue } from "../../../core/index.js";
import { isObject, malformed, toName, toNumber, toText } from "../value.js";
import { fromBase64Pieces } from "./base64.js";
import { objectAt, toBody, type HttpExchange, type HttpRecording, type RecordedBody } from "./exchange.js";

/** True for an archive. */
export function isHar(record: JsonValue): boolean {
  return isObject(record) && isObject(record["log"]) && Array.isArray(record["log"]["entries"]);
}

/** Reads an archive. */
export function readHar(record: JsonValue): HttpRecording {
  const log = isObject(record) ? objectAt(record, "log") : {};
  const { entries } = log;
  if (!Array.isArray(entries)) throw malformed("it is not a HAR archive: it has no log with entries");
  const name = toName(log["_recordingName"]);
  return { ...defined({ name }), exchanges: entries.map((entry) => readEntry(entry)) };
}

function readEntry(entry: JsonValue): HttpExchange {
  const { request, response } = isObject(entry) ? entry : {};
  const asked = isObject(request) ? request : {};
  const answered = isObject(response) ? response : {};
  return {
    method: toText(asked["method"]).toUpperCase(),
    url: toText(asked["url"]),
    status: toNumber(answered["status"]) ?? 0,
    request: toBody(objectAt(asked, "postData")["text"]),
    answer: readContent(objectAt(answered, "content")),
    encoding: encodingOf(answered["headers"]),
  };
}

function readContent(content: JsonObject): RecordedBody {
  const { text, encoding } = content;
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

/** HAR lists headers as {name, value}. */
function encodingOf(headers: JsonValue | undefined): string {
  const list = Array.isArray(headers) ? headers.filter(isObject) : [];
  const found = list.find(({ name }) => toText(name).toLowerCase() === "content-encoding");
  return toText(found?.["value"]).toLowerCase();
}
