// What a store accepts: ids, plain JSON and its size. Every refusal is `store-failed`, and the same call will be refused again.

import { copyJson, seal, sealedWeight } from "./copy.js";
import type { JsonValue } from "./value.js";
import { AgentError } from "../errors.js";
import { MAX_STORE_ID_CHARACTERS, MAX_STORED_VALUE_BYTES } from "../limits.js";
import { shorten, showValue } from "../text/show.js";
import { thrownText } from "../text/thrown.js";

/** A failure of a store, other than the refusals that its methods return. */
export function storeFailed(message: string, hint: string, options: { retryable?: boolean; cause?: unknown } = {}) {
  return new AgentError("store-failed", message, { hint, ...options });
}

/** True for an id or key that a store can keep. */
export function isStoreId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && id.length <= MAX_STORE_ID_CHARACTERS && id.isWellFormed();
}

/** Throws for an id or key that a store cannot keep. `name` is the name of the parameter. */
export function assertStoreId(name: string, id: unknown): asserts id is string {
  if (isStoreId(id)) return;
  const given =
    typeof id === "string" && id.length > MAX_STORE_ID_CHARACTERS ? `${id.length} characters` : showValue(id);
  throw storeFailed(
    `the store cannot keep ${name} ${given}`,
    `Pass well-formed text of 1 to ${MAX_STORE_ID_CHARACTERS} characters.`,
  );
}

/** Throws for an optional id that is there and that a store cannot keep. */
export function assertStoreIds(ids: Readonly<Record<string, unknown>>): void {
  for (const name in ids) if (ids[name] !== undefined) assertStoreId(name, ids[name]);
}

/** Throws unless each of `given`, the parameters of a call that must be objects, is one. `usage` shows the whole call. */
export function assertObjects(usage: string, ...given: readonly unknown[]): void {
  for (const each of given)
    if (typeof each !== "object" || each === null)
      throw storeFailed(`${usage} was called with ${showValue(each)} in place of an object`, "Pass every parameter.");
}

/** A frozen copy of a value. It shares the parts that are frozen already. Throws for a value that is not plain JSON or is too large. */
export function ownStoredValue<T>(name: string | (() => string), value: T, most = MAX_STORED_VALUE_BYTES): T {
  let own: T;
  try {
    own = typeof value === "object" && value !== null ? seal(value) : copyJson(value);
  } catch (error) {
    throw storeFailed(`the store cannot keep ${textOf(name)}: ${shorten(thrownText(error), 200)}`, "Pass plain JSON.", {
      cause: error,
    });
  }
  // Nearly every value is far below the limit, and need not be measured.
  if (typeof own === "object" && own !== null && sealedWeight(own) <= most) return own;
  const bytes = bytesOf(own as JsonValue);
  if (bytes <= most) return own;
  throw storeFailed(
    `the store cannot keep ${textOf(name)}: it has ${bytes} bytes of canonical JSON, and the limit is ${most}`,
    "Store less, for example after compaction.",
  );
}

function textOf(name: string | (() => string)): string {
  return typeof name === "string" ? name : name();
}

/** Sizes of large containers, since a conversation is stored again with each of its messages. A small one is measured again instead. */
const known = new WeakMap<object, number>();
const WORTH_KEEPING = 256;

/** The UTF-8 bytes of the canonical JSON of a frozen value. */
function bytesOf(value: JsonValue): number {
  if (typeof value === "string") return bytesOfText(value);
  if (typeof value !== "object" || value === null) return String(value).length;
  let bytes = known.get(value);
  if (bytes !== undefined) return bytes;
  bytes = 2;
  if (Array.isArray(value)) for (const item of value) bytes += bytesOf(item) + 1;
  else for (const key of Object.keys(value)) bytes += bytesOfText(key) + bytesOf(value[key] as JsonValue) + 2;
  // There is one comma less than there are items.
  if (bytes > 2) bytes -= 1;
  if (bytes >= WORTH_KEEPING) known.set(value, bytes);
  return bytes;
}

const encoder = new TextEncoder();
/** A text whose characters are one byte each. Most are, and encoding a short one takes longer than all the rest. */
const PLAIN = /^[ !#-[\]-~]*$/;

function bytesOfText(text: string): number {
  if (PLAIN.test(text)) return text.length + 2;
  return encoder.encode(JSON.stringify(text)).length;
}
