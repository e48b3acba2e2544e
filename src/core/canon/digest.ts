// SHA-256 (FIPS 180-4) as lower-case hex, at once or step by step. The implementation comes by `#crypto`: node:crypto on
// Node, @noble/hashes elsewhere, proven equal.

import { sha256Hex } from "#crypto";
import { canonicalize } from "./json.js";

export { createSha256, sha256Hex, type Sha256 } from "#crypto";

/** `H(x)` of the cassette format: hex SHA-256 of the canonical text of `value`. Throws `NotJsonError`. */
export function hashJson(value: unknown): string {
  return sha256Hex(canonicalize(value));
}
