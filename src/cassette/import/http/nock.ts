// nock recordings (`nock.recorder.rec({output_objects: true})`): a JSON array of {scope, method, path, body, status, response,
// rawHeaders}. A compressed answer is a list of hex pieces; JSON answers and requests are parsed.

import { fromHex, joinBytes, type JsonObject, type JsonValue } from "../../../core/index.js";
import { isTextual } from "../../exchange/body.js";
import { isObject, toNumber, toObject, toText } from "../foreign-json.js";
import {
  encodingOf,
  headerOf,
  keptHeaders,
  toBody,
  type HttpExchange,
  type HttpRecording,
  type RecordedBody,
} from "./exchange.js";

export function isNockCall(record: JsonValue): boolean {
  if (!isObject(record)) return false;
  const { scope, method, path, response } = record;
  return typeof scope === "string" && typeof method === "string" && typeof path === "string" && response !== undefined;
}

export function readNock(record: JsonValue): HttpRecording {
  const calls = Array.isArray(record) ? record : [record];
  return { exchanges: calls.map((call) => readCall(toObject(call))) };
}

function readCall(call: JsonObject): HttpExchange {
  const { response, rawHeaders, status } = call;
  const headers = keptHeaders(rawHeaders ?? call["headers"]);
  return {
    method: toText(call["method"]).toUpperCase(),
    url: `${toText(call["scope"])}${toText(call["path"])}`,
    status: toNumber(status ?? 200) ?? 0,
    request: toBody(call["body"]),
    answer: Array.isArray(response) ? readPieces(response) : readAnswer(response, headers["content-type"]),
    encoding: encodingOf(rawHeaders ?? call["headers"]),
    type: headerOf(call["reqheaders"], "content-type"),
    headers,
  };
}

/** An answer that is not UTF-8 is one text of hex. */
function readAnswer(response: JsonValue | undefined, type: string | undefined): RecordedBody {
  const bytes = typeof response === "string" && !isTextual(type) ? fromHex(response) : undefined;
  return bytes === undefined ? toBody(response) : { kind: "bytes", bytes };
}

/** A JSON answer may be a list, too; a list of hex texts only is taken as bytes, as nock itself does. */
function readPieces(pieces: readonly JsonValue[]): RecordedBody {
  const parts = pieces.map((piece) => (typeof piece === "string" ? fromHex(piece) : undefined));
  const known = parts.filter((part) => part !== undefined);
  return parts.length > 0 && known.length === parts.length
    ? { kind: "bytes", bytes: joinBytes(known) }
    : { kind: "json", value: [...pieces] };
}
