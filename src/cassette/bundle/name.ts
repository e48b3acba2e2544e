// Names of cassette files beside a bundle. A name in a bundle is foreign text that becomes a path, so only plain ones pass;
// and an agent's id is foreign text too, so that only an escaped form of it reaches a name.

import { sha256Hex } from "../../core/index.js";
import { CASSETTE_SUFFIX } from "../trust/store.js";

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** Most file systems take 255 bytes. */
const MAX_NAME = 200;
const MAX_ESCAPED_ID = 80;
/** Digits of the hash in a name. A file of that name with other contents is never replaced unasked, however short they are. */
const HASH_DIGITS = 16;
/** Names that Windows keeps for devices, whatever follows their first dot (Microsoft, "Naming Files, Paths, and Namespaces"). */
const DEVICE = /^(?:con|prn|aux|nul|conin|conout|com\d|lpt\d)$/i;

/**
 * `<escaped id>.<16 digits of envelopeHash>.cassette.json`. It follows from the contents, so that a new recording never has the
 * name of an old one: an id would not do, since one recorder gives several cassettes with one `cassetteId`.
 */
export function toCassetteName(agentId: string, envelopeHash: string): string {
  return `${escapeId(agentId)}.${envelopeHash.slice(0, HASH_DIGITS)}${CASSETTE_SUFFIX}`;
}

/** True for a name that means a file in the bundle's own folder on every system, and a cassette by its end. */
export function isPlainCassetteName(name: string): boolean {
  const [stem = ""] = name.split(".");
  return name.endsWith(CASSETTE_SUFFIX) && name.length <= MAX_NAME && PLAIN.test(name) && !DEVICE.test(stem);
}

/**
 * Injective, also where case does not count: [a-z0-9-] stand for themselves, any other byte of the UTF-8 form is `_` and two
 * hex digits. A first character that a command or Windows would misread is escaped as well. `__` and a hash, which no escape
 * gives, end an id that was too long.
 */
function escapeId(agentId: string): string {
  const bytes = new TextEncoder().encode(agentId);
  const escaped = Array.from(bytes, toSafe).join("");
  const first = escaped.startsWith("-") || DEVICE.test(escaped) ? toEscape(bytes[0] ?? 0) + escaped.slice(1) : escaped;
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
