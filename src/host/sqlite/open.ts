// A durable host in one SQLite file, for all processes on one machine.

import { resolve } from "node:path";
import { assertKnownOptions, invalidOptions, type Ports } from "../../core/index.js";
import { createHost, newHostId, type DurableHost } from "../durable/host.js";
import { checkHostOptions, DURABLE_OPTIONS, type DurableHostOptions } from "../durable/options.js";
import { assertCount } from "../integer-option.js";
import {
  DEFAULT_BUSY_TIMEOUT_MS,
  DEFAULT_MAX_HOST_FILE_BYTES,
  MAX_BUSY_TIMEOUT_MS,
  MIN_HOST_FILE_BYTES,
} from "../limits.js";
import type { SqlClock, SqlEngine } from "../sql/engine.js";
import { MIGRATIONS } from "../sql/schema.js";
import { loadSqlite, type OpenSqlite } from "./driver.js";
import { createSqliteEngine } from "./engine.js";
import { openSqliteFile, type SqliteKind } from "./file.js";
import { openLives } from "./lives.js";

/** The kind of file that holds the sessions of a durable host. */
export const SESSIONS: SqliteKind = {
  name: "execution host",
  code: "store-failed",
  // "PLHX".
  applicationId: 0x504c4858,
  migrations: MIGRATIONS,
  // Only the owner may read prompts.
  mode: 0o600,
};

/** The options of {@link openSqliteExecutionHost}. */
export interface SqliteExecutionHostOptions extends DurableHostOptions {
  /** How long in ms a call waits for another process, at most 600,000. Other work continues meanwhile. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Limit of the file's size. A write beyond it is refused. Default 4 GiB. */
  readonly maxFileBytes?: number;
}

/**
 * Opens the durable host in the file `path`, or creates the file and its folder. Several processes on one machine may open it. Rejects
 * with `AgentError`: `invalid-options`, `capability-missing` if no SQLite is available, and `store-failed` for any other file, a newer
 * version or another codec. Such a file is not changed.
 */
export async function openSqliteExecutionHost(
  path: string,
  options: SqliteExecutionHostOptions = {},
): Promise<DurableHost> {
  assertKnownOptions("openSqliteExecutionHost", options, [...DURABLE_OPTIONS, "busyTimeoutMs", "maxFileBytes"]);
  const { busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS, maxFileBytes = DEFAULT_MAX_HOST_FILE_BYTES } = options;
  assertPath("openSqliteExecutionHost", path, "For a host without a file, use createInMemoryExecutionHost().");
  assertCount("busyTimeoutMs", busyTimeoutMs, 0, MAX_BUSY_TIMEOUT_MS);
  assertCount("maxFileBytes", maxFileBytes, MIN_HOST_FILE_BYTES, Number.MAX_SAFE_INTEGER);
  const checked = checkHostOptions(options);
  const open = await loadSqlite();
  const isSteady = options.ports?.now === undefined;
  const terms = { kind: SESSIONS, path, busyTimeoutMs, maxFileBytes, ports: checked.ports, isSteady };
  const { engine, file } = await openEngine(open, terms);
  const hostId = newHostId(checked);
  try {
    const lives = openLives(open, `${file}-lives`, hostId);
    return await createHost({ engine, lives, hostId, options: checked }).catch(async (error: unknown) => {
      await lives.release();
      throw error;
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

interface FileTerms {
  readonly kind: SqliteKind;
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly maxFileBytes: number;
  readonly ports: Ports;
  /** False if leases use `ports.now`, too. */
  readonly isSteady: boolean;
}

/** The engine of a file that several processes share. */
export async function openEngine(open: OpenSqlite, terms: FileTerms): Promise<{ engine: SqlEngine; file: string }> {
  const { ports, isSteady, busyTimeoutMs } = terms;
  // A resolved path is never read as a `file:` address.
  const file = resolve(terms.path);
  const connect = () => openSqliteFile(open, { ...terms, path: file, blockingMs: 0 });
  const [writer, reader] = [await connect(), await connect()];
  const clock = clockOf(isSteady, () => ports.now());
  return { file, engine: createSqliteEngine({ path: file, writer, reader, busyTimeoutMs, ports, clock }) };
}

/** Leases use the machine's steady clock, which is the same in all its processes. A reboot resets it, and ends all life locks. */
function clockOf(isSteady: boolean, now: () => number): () => SqlClock {
  if (!isSteady) return () => ({ leaseMs: now(), wallMs: now() });
  return () => ({ leaseMs: Number(process.hrtime.bigint() / 1_000_000n), wallMs: now() });
}

export function assertPath(opener: string, path: string, hint: string): void {
  if (typeof path === "string" && path !== "" && path !== ":memory:" && !path.includes("\0")) return;
  throw invalidOptions(`${opener} cannot open the path ${JSON.stringify(path)}`, `Name a file. ${hint}`);
}
