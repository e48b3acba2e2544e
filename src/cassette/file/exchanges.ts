// The shape of `extensions.exchanges`. A door answers from it, so an unknown field is refused, like one of an entry.

import { fromBase64, isPlainObject } from "../../core/index.js";
import type { Refuse } from "./downgrade.js";
import {
  checkFields,
  count as bytes,
  hash as sha256,
  isCount,
  matches,
  text,
  wrong,
  type Field,
  type Fields,
  type Path,
} from "./fields.js";

/** Headers of an answer that a client reacts to. All others are left out of a recording. */
export const EXCHANGE_HEADERS = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

const EXCHANGE: Record<string, Field> = {
  method: { expected: "a method in capital letters", check: matches(/^[A-Z][A-Z-]*$/), required: true },
  path: { expected: "a path from / on, without query", check: matches(/^\/[^?#]*$/), required: true },
  query: { expected: "a text that is not empty", check: matches(/^[^?#]+$/) },
  request: { expected: "an object", check: isPlainObject },
  status: { expected: "an HTTP status", check: (value) => isCount(value) && isStatus(value as number), required: true },
  headers: { expected: "an object", check: isPlainObject },
  response: { expected: "an object", check: isPlainObject },
  isCut: { expected: "true", check: (value) => value === true },
};
/** A door could not send any other value (RFC 9110 §5.5). */
const header: Field = { expected: "the text of an HTTP header", check: matches(/^[\t\x20-\x7e\x80-\xff]*$/) };
const HEADERS = Object.fromEntries(EXCHANGE_HEADERS.map((name) => [name, header]));
const JSON_VALUE: Field = { expected: "a JSON value", check: () => true };
const REQUEST: Record<string, Field> = {
  json: JSON_VALUE,
  text,
  parts: { expected: "a list of objects", check: (value) => Array.isArray(value) && value.every(isPlainObject) },
  sha256,
  bytes,
  type: text,
};
const RESPONSE: Record<string, Field> = {
  json: JSON_VALUE,
  text,
  base64: { expected: "base64", check: (value) => typeof value === "string" && fromBase64(value) !== undefined },
};
const PART: Record<string, Field> = { name: text, filename: text, type: text, text, sha256, bytes };

/** Refuses exchanges that no recorder writes. Names the place by its JSON pointer. */
export function checkExchanges(extensions: Fields, refuse: Refuse): void {
  const { exchanges } = extensions;
  if (exchanges === undefined) return;
  const here = ["extensions", "exchanges"];
  if (!Array.isArray(exchanges)) {
    wrong(here, "a list", refuse);
    return;
  }
  exchanges.forEach((exchange: unknown, index) => {
    checkExchange(exchange, [...here, index], refuse);
  });
}

/** Refuses one exchange. `here` is its place in the file. */
export function checkExchange(exchange: unknown, here: Path, refuse: Refuse): void {
  if (!isPlainObject(exchange)) {
    wrong(here, "an object", refuse);
    return;
  }
  checkFields(exchange, EXCHANGE, here, refuse);
  const { headers = {}, request, response } = exchange as { headers?: Fields; request?: Fields; response?: Fields };
  checkFields(headers, HEADERS, [...here, "headers"], refuse);
  if (request !== undefined) checkRequest(request, [...here, "request"], refuse);
  if (response === undefined) return;
  checkFields(response, RESPONSE, [...here, "response"], refuse);
  checkForm(response, [["json"], ["text"], ["base64"]], [], [...here, "response"], refuse);
}

function checkRequest(request: Fields, here: Path, refuse: Refuse): void {
  checkFields(request, REQUEST, here, refuse);
  checkForm(
    request,
    [["json"], ["text"], ["parts"], ["sha256", "bytes"], ["sha256", "bytes", "type"]],
    [],
    here,
    refuse,
  );
  if (request["parts"] === undefined) return;
  (request["parts"] as Fields[]).forEach((part, index) => {
    const place = [...here, "parts", index];
    checkFields(part, PART, place, refuse);
    checkForm(part, [["text"], ["sha256", "bytes"]], ["name", "filename", "type"], place, refuse);
  });
}

/** A body has exactly one of several forms; `free` fields may stand next to it. */
function checkForm(
  body: Fields,
  forms: readonly (readonly string[])[],
  free: readonly string[],
  here: Path,
  refuse: Refuse,
): void {
  const given = Object.keys(body).filter((name) => !free.includes(name));
  if (forms.some((form) => form.length === given.length && form.every((name) => given.includes(name)))) return;
  wrong(here, `exactly one of ${forms.map((form) => form.join(" with ")).join(", ")}`, refuse);
}

function isStatus(status: number): boolean {
  return status >= 100 && status <= 599;
}
