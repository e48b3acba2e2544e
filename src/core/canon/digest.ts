// SHA-256 (FIPS 180-4) as lower-case hex, at once or step by step. The implementation comes by `#crypto`: node:crypto on
// Node, @noble/hashes elsewhere, proven equal.

import { createSha256, sha256Hex as hashText, type Sha256 } from "#crypto";
import { canonicalize } from "./json.js";

export { createSha256, type Sha256 };

/** Hex SHA-256 of bytes, or of the UTF-8 bytes of a text. */
export function sha256Hex(input: string | Uint8Array): string {
  return hashText(input);
}

/** `H(x)` of the cassette format: hex SHA-256 of the canonical text of `value`. Throws `NotJsonError`. */
export function hashJson(value: unknown): string {
  return hashText(canonicalize(value));
}
