// Canonical texts (RFC 8785) by json-canonicalize and SHA-256 by @noble/hashes, as a second opinion on every hash. json-canonicalize
// has two faults, so it gets values that would trigger one of them in parts.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalize } from "json-canonicalize";

/** The RFC 8785 text of a JSON value without cycles. */
export function canonicalText(value: unknown): string {
  if (isSafe(value, new Set())) return canonicalize(value);
  if (Array.isArray(value)) return `[${value.map((item: unknown) => canonicalText(item)).join(",")}]`;
  const members = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, item]) => `${canonicalize(key)}:${canonicalText(item)}`).join(",")}}`;
}

/** The lower-case hex SHA-256 of the canonical text of a value. */
export function hashOf(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalText(value))));
}

/**
 * True if json-canonicalize writes the value correctly. It does not sort an object with the key `toJSON`, and mistakes an object that
 * is referenced twice for a cycle.
 */
function isSafe(value: unknown, seen: Set<object>): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (seen.has(value)) return false;
  seen.add(value);
  if (Array.isArray(value)) return value.every((item) => isSafe(item, seen));
  return !Object.hasOwn(value, "toJSON") && Object.values(value).every((item) => isSafe(item, seen));
}

/** Hashes prompts that each begin with messages of the previous one. Every message is written and hashed once. */
export class PromptHasher {
  /** The state of the hash after the first n messages, at index n. */
  #states = [sha256.create().update(utf8ToBytes("["))];

  /** The number of messages in the current prompt. */
  get length(): number {
    return this.#states.length - 1;
  }

  /** The hash of the first `keep` messages followed by `messages`. */
  next(keep: number, messages: readonly unknown[]): string {
    this.#states.length = keep + 1;
    for (const message of messages) {
      const text = (this.length === 0 ? "" : ",") + canonicalText(message);
      this.#states.push(this.#last().clone().update(utf8ToBytes(text)));
    }
    return bytesToHex(this.#last().clone().update(utf8ToBytes("]")).digest());
  }

  #last(): ReturnType<typeof sha256.create> {
    return this.#states.at(-1) as ReturnType<typeof sha256.create>;
  }
}
