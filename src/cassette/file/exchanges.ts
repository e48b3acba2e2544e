// The shape of `extensions.exchanges`. A door answers from it, so an unknown field is refused, like one of an entry.

import { fromBase64, isPlainObject, toPointer } from "../../core/index.js";
import type { Refuse } from "./downgrade.js";

type Fields = Record<string, unknown>;
type Check = (value: unknown) => boolean;

/** The expected value in words, and its check. `required` fields are missing or wrong, others only wrong. */
interface Field {
  readonly expected: string;
  readonly check: Check;
  readonly required?: true;
}

/** Headers of an answer that a client reacts to. All others are left out of a recording. */
export const EXCHANGE_HEADERS = ["content-type", "retry-after", "retry-after-ms", "x-should-retry"];

const isText: Check = (value) => typeof value === "string";
const isHash: Check = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

const text: Field = { expected: "a text", check: isText };
const sha256: Field = { expected: "64 lower-case hex digits", check: isHash };
const bytes: Field = { expected: "a whole number of 0 or more", check: isCount };

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

type Path = readonly (string | number)[];

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

function checkFields(object: Fields, known: Record<string, Field>, here: Path, refuse: Refuse): void {
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(known, name)) continue;
    const place = toPointer([...here, name]);
    refuse("unknown-field", `${toPointer(here)} has an unknown field: ${JSON.stringify(name)}`, place);
  }
  for (const [name, { expected, check, required }] of Object.entries(known)) {
    const place = [...here, name];
    const isGiven = Object.hasOwn(object, name);
    if (isGiven && !check(object[name])) wrong(place, expected, refuse);
    if (!isGiven && required === true) {
      refuse("missing-field", `${toPointer(here)} has no ${name}`, toPointer(place));
    }
  }
}

function wrong(here: Path, expected: string, refuse: Refuse): void {
  refuse("wrong-type", `${toPointer(here)} is not ${expected}`, toPointer(here));
}

function matches(pattern: RegExp): Check {
  return (value) => typeof value === "string" && pattern.test(value);
}

function isStatus(status: number): boolean {
  return status >= 100 && status <= 599;
}
