// A durable host in one SQLite file, for all processes on one machine.

import { resolve } from "node:path";
import { assertKnownOptions, invalidOptions } from "../../core/index.js";
import { createHost, newHostId, type DurableHost } from "../durable/host.js";
import { checkHostOptions, DURABLE_OPTIONS, type DurableHostOptions } from "../durable/options.js";
import { assertCount } from "../integer-option.js";
import {
  DEFAULT_BUSY_TIMEOUT_MS,
  DEFAULT_MAX_HOST_FILE_BYTES,
  MAX_BUSY_TIMEOUT_MS,
  MIN_HOST_FILE_BYTES,
} from "../limits.js";
import type { SqlClock } from "../sql/engine.js";
import { MIGRATIONS } from "../sql/schema.js";
import { loadSqlite } from "./driver.js";
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
  assertPath(path);
  assertCount("busyTimeoutMs", busyTimeoutMs, 0, MAX_BUSY_TIMEOUT_MS);
  assertCount("maxFileBytes", maxFileBytes, MIN_HOST_FILE_BYTES, Number.MAX_SAFE_INTEGER);
  const checked = checkHostOptions(options);
  // A resolved path is never read as a `file:` address.
  const file = resolve(path);
  const open = await loadSqlite();
  const writer = await openSqliteFile(open, { kind: SESSIONS, path: file, busyTimeoutMs, blockingMs: 0, maxFileBytes });
  const reader = await openSqliteFile(open, { kind: SESSIONS, path: file, busyTimeoutMs, blockingMs: 0, maxFileBytes });
  const clock = clockOf(options, () => checked.ports.now());
  const engine = createSqliteEngine({ path: file, writer, reader, busyTimeoutMs, ports: checked.ports, clock });
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

/** Leases use the machine's steady clock, which is the same in all its processes. A reboot resets it, and ends all life locks. */
function clockOf({ ports }: DurableHostOptions, now: () => number): () => SqlClock {
  if (ports?.now !== undefined) return () => ({ leaseMs: now(), wallMs: now() });
  return () => ({ leaseMs: Number(process.hrtime.bigint() / 1_000_000n), wallMs: now() });
}

function assertPath(path: string): void {
  if (typeof path === "string" && path !== "" && path !== ":memory:" && !path.includes("\0")) return;
  throw invalidOptions(
    `openSqliteExecutionHost cannot open the path ${JSON.stringify(path)}`,
    "Name a file. For a host without a file use createInMemoryExecutionHost().",
  );
}
