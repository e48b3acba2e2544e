// Names of the cassette files of a bundle. A name in a bundle is foreign text that becomes a path, so only plain ones pass. An
// agent's id is foreign text too, so only an escaped form of it becomes part of a name.

import { isDeviceName, sha256Hex } from "../../core/index.js";
import { MAX_CASSETTE_NAME, MAX_ESCAPED_ID } from "../limits.js";
import { CASSETTE_SUFFIX } from "../trust/cassette-store.js";

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** Digits of the hash in a name. However few, a file of that name with other contents is only replaced with `overwrite`. */
const HASH_DIGITS = 16;

/** Named by `envelopeHash`, so that a new recording never has the name of an old one. Cassettes of one recorder share a `cassetteId`. */
export function toCassetteName(agentId: string, envelopeHash: string): string {
  return `${escapeId(agentId)}.${envelopeHash.slice(0, HASH_DIGITS)}${CASSETTE_SUFFIX}`;
}

/** True for a cassette name that means a file in the bundle's own folder on every system. */
export function isPlainCassetteName(name: string): boolean {
  return name.endsWith(CASSETTE_SUFFIX) && name.length <= MAX_CASSETTE_NAME && PLAIN.test(name) && !isDeviceName(name);
}

/**
 * Escapes an id without collisions, also where case does not count: [a-z0-9-] stay, any other byte of the UTF-8 form becomes
 * `_` and two hex digits, and so does a first character that a command or Windows would misread. An id that is too long ends in
 * `__` and a hash, which no escape produces.
 */
function escapeId(agentId: string): string {
  const bytes = new TextEncoder().encode(agentId);
  const escaped = Array.from(bytes, toSafe).join("");
  const first = escaped.startsWith("-") || isDeviceName(escaped) ? toEscape(bytes[0] ?? 0) + escaped.slice(1) : escaped;
  if (first.length <= MAX_ESCAPED_ID) return first;
  return `${first.slice(0, MAX_ESCAPED_ID / 2)}__${sha256Hex(agentId)}`;
}

function toSafe(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9-]/.test(character) ? character : toEscape(byte);
}

function toEscape(byte: number): string {
  return `_${byte.toString(16).padStart(2, "0")}`;
}
