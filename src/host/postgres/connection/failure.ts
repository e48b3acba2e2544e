// Errors of a PostgreSQL driver. https://www.postgresql.org/docs/current/errcodes-appendix.html

import type { AgentError } from "../../../core/index.js";
import { DEFAULT_POOL_CONNECTIONS, MAX_TRANSACTION_RERUNS } from "../../limits.js";
import { driverFailed } from "../../sql/failure.js";

/** Classes and codes after which the same call may succeed: lost connections, a full disk, a server that starts or stops, conflicts. */
const RETRYABLE = /^(08|53|57|40)|^(55P03|25006|25P03|58030)$/;
/** A conflict between transactions, after which the whole transaction can run again. */
const CONFLICTS = ["40001", "40P01"];

/** The code of the server. Node's own codes, such as EPIPE, begin with a letter that no code of a server begins with. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^(?!E)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** True if the whole transaction can run again, after `reruns` that failed too. */
export function runsAgain(error: unknown, reruns: number): boolean {
  // Each connection of the pool may have an old plan.
  if (isStalePlan(error)) return reruns < DEFAULT_POOL_CONNECTIONS;
  return CONFLICTS.includes(codeOf(error) ?? "") && reruns < MAX_TRANSACTION_RERUNS;
}

/** True if a prepared statement returns different columns since a migration. Only a new connection helps. Other errors share the code. */
export function isStalePlan(error: unknown): boolean {
  return codeOf(error) === "0A000" && (error as { routine?: unknown }).routine === "RevalidateCachedQuery";
}

/** True if the connection cannot be used any more: the error did not come from the server, or the server has ended the connection. */
export function isDisconnected(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || /^(08|57P|25P03)/.test(code);
}

/** Errors of `pg` without a code, which stay until somebody changes the connection string or the server. */
const LASTING = /^The server does not support SSL connections|^SASL: /;

/** True if the same call may succeed later. */
export function isTemporary(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return !(error instanceof Error && LASTING.test(error.message));
  return isDisconnected(error) || RETRYABLE.test(code);
}

export function pgFailed(what: string, error: unknown): AgentError {
  return driverFailed(
    what,
    error,
    isTemporary(error),
    "Check the connection string, the rights of the role and the state of the server.",
  );
}
