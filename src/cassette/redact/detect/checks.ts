// Second checks on the matches of a pattern, so that text that only looks like a secret is kept.

import { decodeUtf8, fromBase64 } from "../../../core/index.js";

/** Rules out made-up names such as `sk-a-name-with-many-words`, which have no digit. */
export function hasDigitAndLetter(text: string): boolean {
  return /[0-9]/.test(text) && /[A-Za-z]/.test(text);
}

/** RFC 7519 §7.2: the header is a JSON object that names an algorithm. */
export function isJwt(text: string): boolean {
  const header = decode(text.split(".")[0] ?? "");
  return header !== undefined && /^\s*\{[\s\S]*"alg"/.test(header);
}

/** RFC 7617 §2: a name, a colon and a password in base64. */
export function isBasicCredential(text: string): boolean {
  const plain = decode(text);
  return plain !== undefined && /^[\x20-\x7e]+$/.test(plain) && /^[^:]*:./.test(plain);
}

/** False for asterisks or a variable in place of a password. */
export function isPassword(text: string): boolean {
  return !/^(?:[*x.]+|\$.*|%.*%|\{.*\}|\[.*\])$/.test(text);
}

/** False for a placeholder, variable, URL, code, number, date or version, and for letters or digits alone (mostly words). */
export function isAssigned(text: string): boolean {
  return hasDigitAndLetter(text) && !NOT_ASSIGNED.some((expression) => expression.test(text));
}

const NOT_ASSIGNED = [
  /^[=:$%{[(<*>|&]|^urn:|:\/\/|\$[0-9]?$|\$\{|\{\{|\.\.\.|…/,
  /example|placeholder|change_?me|your|dummy|redacted|masked|replace|insert|xxx|\*\*\*/i,
  // Property paths in code, names that end like a variable, types and algorithms.
  /^[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)+$/,
  /(?:pass|password|secret|key|token|hash|value|string)_?[0-9]{0,2}$/i,
  /^(?:u?int|float|bytes?|utf|base|sha|md|hmac|aes|ed|oauth|x|p)-?[0-9]+(?:[A-Z_-][A-Za-z_-]*)?$/i,
  /^(?:v?[0-9]+\.[0-9]|0x[0-9a-f]{1,16}$|[0-9._]+(?:e[+-]?[0-9]+)?[A-Za-z%]{0,3}$|[0-9]{4}-[0-9]{2}-[0-9]{2})/i,
];

/** Checks the ranges of the large issuers and the check digit (ISO/IEC 7812-1, annex B). One repeated digit is not a card. */
export function isPaymentCard(text: string): boolean {
  const digits = text.replace(/[ -]/g, "");
  const isIssued = /^(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[47]|6011|64[4-9]|65|35|62)/.test(digits);
  if (!isIssued || /^(\d)\1*$/.test(digits)) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? 2 * digit : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function decode(base64: string): string | undefined {
  const bytes = fromBase64(base64);
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}
