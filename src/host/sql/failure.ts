// The errors of a durable store: all are `store-failed`. Refusals that a caller handles are values instead.

import { AgentError, quoteForeign, storeFailed, thrownText } from "../../core/index.js";

const CHECK_FILE = "Check the disk, and the permissions of the file and its folder.";

/** A driver's error. Its text may hold values, so it is masked and cut. */
export function driverFailed(what: string, cause: unknown, retryable: boolean, advice = CHECK_FILE): AgentError {
  if (cause instanceof AgentError) return cause;
  const hint = retryable ? `Try again later. ${advice}` : advice;
  return storeFailed(`${what}: ${quoteForeign(thrownText(cause))}`, hint, { retryable, cause });
}

export function storeClosed(what: string): AgentError {
  return storeFailed(`${what} is closed`, "Close the host after its agents and workers.");
}

/** A row that this version did not write. */
export function damagedRow(table: string, key: string, column: string, found: unknown): AgentError {
  const value = found instanceof Uint8Array ? "bytes" : quoteForeign(String(found));
  return storeFailed(
    `table ${table}, row ${key}, column ${column} cannot be read: ${value}`,
    "Something else has changed the database. Restore it from a copy.",
  );
}
