// The hashes by which the tables find ids and keys. A hash of several names is that of their JSON list, so no two lists share one.

import { createHash } from "node:crypto";
import { assertStoreId } from "../../core/index.js";

/** `name` if it can be an id or a key. Throws `store-failed` for anything else. */
export function toName(what: string, name: unknown): string {
  assertStoreId(what, name);
  return name;
}

export function hashNames(...names: readonly string[]): Uint8Array {
  return createHash("sha256").update(JSON.stringify(names)).digest();
}

/** The queue of a session. */
export function laneOf(ownerNamespace: string, sessionKey: string): Uint8Array {
  return hashNames("lane", toName("ownerNamespace", ownerNamespace), toName("sessionKey", sessionKey));
}
