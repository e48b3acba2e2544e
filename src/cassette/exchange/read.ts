// Reads an HTTP request and its answer into the fields of an exchange. Recorder and player read requests by the same function.

import { defined, isPlainObject, seal, setOwn, type JsonObject, type JsonValue } from "../../core/index.js";
import type { ExchangeRequestBody, ExchangeResponseBody, RecordedExchange } from "../file/format.js";
import { EXCHANGE_HEADERS } from "../file/exchanges.js";
import { applyFilter, type HashFilter } from "../prompt/prompt-delta.js";
import { mapStrings } from "../redact/leaves.js";
import { mediaOf, toRequestBody, toResponseBody } from "./body.js";
import type { PlainAnswer, PlainRequest } from "./http.js";

/** The part of an exchange that a request is compared by. */
export type ExchangeRequest = Pick<RecordedExchange, "method" | "path" | "query" | "request">;

/** Takes secrets out of a value. */
export type ScrubJson = <T extends JsonValue>(value: T) => T;

/** The rewriting of a request before it is stored or compared: first secrets, then volatile text. */
export interface ExchangeReading {
  readonly scrub: ScrubJson;
  readonly filter: HashFilter | undefined;
}

/** Query and form parameters that carry secrets or a signature, which differs in every request. */
const SECRET_PARAMETERS =
  /^(?:(?:x[-_])?(?:api|access|private|subscription)?[-_]?key|(?:(?:access|auth|id|refresh|session)[-_]?)?token|(?:client[-_]?)?secret|passw(?:or)?d|passphrase|pwd|credentials?|jwt|bearer|sig|signature|auth|authorization|aws-?access-?key-?id|x-(?:amz|goog)-(?:signature|credential|security-token|date|expires))$/i;

/** The request as a cassette holds it. Throws `not-recordable`. */
export function readRequest(given: PlainRequest, { scrub, filter }: ExchangeReading): ExchangeRequest {
  const { pathname, search } = urlOf(given);
  const query = withoutSecrets(search.slice(1));
  const body = toRequestBody(given.body ?? new Uint8Array(), given.type);
  const isForm = mediaOf(given.type).endsWith("/x-www-form-urlencoded");
  const plain = body && withoutSecretFields(body, isForm);
  return seal({
    method: given.method.toUpperCase(),
    path: scrub(pathname),
    ...filterRequest(
      {
        ...(query === "" ? {} : { query: scrub(query) }),
        ...(plain === undefined ? {} : { request: scrubBody(plain, scrub) }),
      },
      filter,
    ),
  });
}

/** The URL of a request. A path that begins with two slashes names no host. */
export function urlOf({ url }: PlainRequest): URL {
  return new URL(url.startsWith("/") ? `http://localhost${url}` : url);
}

/** The answer as a cassette holds it. Throws `not-recordable`. */
export function readAnswer(
  given: PlainAnswer,
  scrub: ScrubJson,
): Pick<RecordedExchange, "status" | "headers" | "response" | "isCut"> {
  const names = EXCHANGE_HEADERS.filter((name) => given.headers[name] !== undefined);
  const headers = scrub(Object.fromEntries(names.map((name) => [name, given.headers[name] as string])));
  const response = toResponseBody(given.body, given.headers["content-type"]);
  return seal({
    status: given.status,
    ...(names.length === 0 ? {} : { headers }),
    ...(response === undefined ? {} : { response: scrubBody(response, scrub) }),
    ...(given.isCut === true ? { isCut: true as const } : {}),
  });
}

/** An exchange that was read without a rewriting, rewritten now. */
export function rewriteExchange(exchange: RecordedExchange, { scrub, filter }: ExchangeReading): RecordedExchange {
  const { path, query, request, headers, response } = exchange;
  const scrubbed = defined({ query: query && scrub(query), request: request && scrubBody(request, scrub) });
  return {
    ...exchange,
    path: scrub(path),
    ...filterRequest(scrubbed, filter),
    ...defined({ headers: headers && scrub(headers), response: response && scrubBody(response, scrub) }),
  };
}

/** Parameters sorted by name, in one spelling. */
function withoutSecrets(query: string): string {
  const parameters = new URLSearchParams(query);
  for (const name of [...parameters.keys()]) if (SECRET_PARAMETERS.test(name)) parameters.delete(name);
  parameters.sort();
  return parameters.toString();
}

/** A form without the fields that carry secrets. */
function withoutSecretFields(body: ExchangeRequestBody, isForm: boolean): ExchangeRequestBody {
  if ("parts" in body) {
    return { parts: body.parts.filter(({ name = "", text }) => text === undefined || !SECRET_PARAMETERS.test(name)) };
  }
  return isForm && "text" in body ? { text: withoutSecrets(body.text) } : body;
}

/** Every text of a body but hashes and base64, which hold no readable secret. */
function scrubBody<T extends ExchangeRequestBody | ExchangeResponseBody>(body: T, scrub: ScrubJson): T {
  if ("json" in body) return { ...body, json: scrub(scrubNamed(body.json, scrub)) };
  if ("text" in body) return { ...body, text: scrub(body.text) };
  if ("parts" in body) return { ...body, parts: body.parts.map((part) => scrubTexts(part, scrub)) };
  return scrubTexts(body, scrub);
}

function scrubTexts<T extends object>(part: T, scrub: ScrubJson): T {
  const texts = Object.entries(part).filter(([name]) => TEXTS.includes(name)) as [string, string][];
  return { ...part, ...scrub(Object.fromEntries(texts)) };
}

const TEXTS = ["name", "filename", "type", "text"];

/** Names of fields whose values are scrubbed together with the name: only it tells that they are secrets. */
const MAY_BE_SECRET = /passw|passphrase|secret|key|token/i;

function scrubNamed(value: JsonValue, scrub: ScrubJson): JsonValue {
  if (Array.isArray(value)) return value.map((item) => scrubNamed(item, scrub));
  if (!isPlainObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    const isNamed = typeof inner === "string" && MAY_BE_SECRET.test(name);
    setOwn(result, name, isNamed ? scrubAssigned(name, inner, scrub) : scrubNamed(inner, scrub));
  }
  return result;
}

function scrubAssigned(name: string, value: string, scrub: ScrubJson): string {
  const [start, end] = [`"${name}":"`, '"'];
  const text = scrub(start + value + end);
  return text.startsWith(start) && text.endsWith(end) ? text.slice(start.length, -end.length) : value;
}

/** The part of a request that filters rewrite. */
export type FilteredPart = Pick<ExchangeRequest, "query" | "request">;

/** Every text of a query and a body, rewritten by a filter of prompts, which takes each of them for a user message. */
export function filterRequest(given: FilteredPart, filter: HashFilter | undefined): FilteredPart {
  if (filter === undefined) return given;
  return mapTexts(given, (text) => {
    const [only] = applyFilter(filter, [{ role: "user", content: text }]);
    return typeof only?.content === "string" ? only.content : text;
  });
}

/** Rewrites each parameter of a query and each text of a body. A number of JSON in a field of its own is the text `"field":1`. */
export function mapTexts({ query, request }: FilteredPart, rewrite: (text: string) => string): FilteredPart {
  return defined({
    query: query && mapQuery(query, rewrite),
    request: request && mapBody(request, rewrite),
  });
}

function mapQuery(query: string, rewrite: (text: string) => string): string {
  const parameters = [...new URLSearchParams(query)];
  return new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, rewrite(value)])).toString();
}

function mapBody(body: ExchangeRequestBody, rewrite: (text: string) => string): ExchangeRequestBody {
  if ("sha256" in body) return body;
  if ("text" in body) return { text: rewrite(body.text) };
  if ("json" in body) return { json: mapNumbers(mapStrings(body.json, rewrite), rewrite) };
  return { parts: body.parts.map((part) => (part.text === undefined ? part : { ...part, text: rewrite(part.text) })) };
}

/** Rewrites the numbers of a JSON value that have a field of their own. A list of numbers is data, such as tokens. */
function mapNumbers(value: JsonValue, rewrite: (text: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => mapNumbers(item, rewrite));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, item]): [string, JsonValue] => [
    name,
    typeof item === "number" ? mapNumber(name, item, rewrite) : mapNumbers(item, rewrite),
  ]);
  return Object.fromEntries(fields);
}

function mapNumber(field: string, value: number, rewrite: (text: string) => string): JsonValue {
  const head = `${JSON.stringify(field)}:`;
  const after = rewrite(`${head}${value}`);
  if (!after.startsWith(head)) return value;
  const rest = after.slice(head.length);
  return Number(rest) === value ? value : rest;
}
