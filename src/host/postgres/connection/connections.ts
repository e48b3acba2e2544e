// The name of a store, and connections to it.

import { invalidOptions, showValue, storeFailed, within, type Ports } from "../../../core/index.js";
import { MAX_CONNECT_MS, ROLLBACK_MS } from "../../limits.js";
import { pgFailed } from "./failure.js";
import type { PgClient, PgPool } from "./types.js";

export const DEFAULT_SCHEMA = "playhead";

/** Throws `AgentError` `invalid-options`. A name that passes needs no escapes. */
export function assertSchema(schema: unknown): void {
  if (schema === undefined || (typeof schema === "string" && /^[a-z_][a-z0-9_]{0,40}$/.test(schema))) return;
  throw invalidOptions(
    `schema is ${showValue(schema)}`,
    "Use 1 to 41 lower-case letters, digits and `_`. The first character must not be a digit.",
  );
}

export const storeName = (schema: string): string => `the store in schema ${schema}`;

/** Takes a connection from the pool. A connection in use also emits its errors, and an unhandled `error` event would end the process. */
export async function connectTo(pool: PgPool, ports: Ports, name: string): Promise<PgClient> {
  const connecting = pool.connect();
  let client: PgClient;
  try {
    client = await within(connecting, MAX_CONNECT_MS, ports, noAnswer(MAX_CONNECT_MS));
  } catch (error) {
    releaseLater(connecting);
    throw pgFailed(`${name} cannot be reached`, error);
  }
  ignoreErrors(client);
  return client;
}

/** Releases a connection that comes too late. */
export function releaseLater(connecting: Promise<PgClient>): void {
  connecting.then(
    (late) => late.release(),
    () => undefined,
  );
}

/** Closes a pool, but waits no longer for connections on which a silent server owes an answer. */
export async function endPool(end: (() => Promise<void>) | undefined, ports: Ports): Promise<void> {
  if (end === undefined) return;
  await within(end(), ROLLBACK_MS, ports).catch(() => ports.warn("a connection to PostgreSQL did not close"));
}

const ignored = new WeakSet<object>();

interface Acquiring {
  on?(event: "acquire", listener: (client: PgClient) => void): unknown;
}

/**
 * Statements report the errors of their connection themselves, so its `error` events are ignored. A pool stops listening to a connection
 * before it hands it out, and an error may come in between. So this listens from `acquire` on.
 */
export function ignoreErrors(emitter: Pick<PgPool, "on">): void {
  if (ignored.has(emitter)) return;
  ignored.add(emitter);
  emitter.on?.("error", () => undefined);
  (emitter as unknown as Acquiring).on?.("acquire", ignoreErrors);
}

export const noAnswer = (ms: number) => () =>
  storeFailed(
    `the database did not answer within ${ms} ms`,
    "Check the network and the server, then repeat the call.",
    { retryable: true },
  );
