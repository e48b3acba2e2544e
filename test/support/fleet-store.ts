// Stores of fleets for tests: on SQLite in memory, without a server, and with a clock that a test moves.

import { systemPorts, type Ports } from "../../src/core/index.js";
import { FLEET_TABLES } from "../../src/host/sql/schema.js";
import { createStoredFleets } from "../../src/host/fleet/stored/store.js";
import type { FleetStore } from "../../src/host/fleet/store.js";
import { loadSqlite } from "../../src/host/sqlite/driver.js";
import { createSqliteEngine } from "../../src/host/sqlite/engine.js";
import { afterEachTest } from "./hooks.js";

/** A store in memory. It is closed after the test. */
export async function openMemoryFleets(leaseMs = 30_000, now = () => Date.now()): Promise<FleetStore> {
  const database = (await loadSqlite())(":memory:");
  database.exec(FLEET_TABLES);
  const ports: Ports = { ...systemPorts, now };
  const clock = () => ({ leaseMs: now(), wallMs: now() });
  // One connection for both: a database in memory belongs to its connection.
  const reader = { ...database, prepare: (text: string) => database.prepare(text), close: () => undefined };
  const engine = createSqliteEngine({
    ...{ path: ":memory:", writer: database, reader, busyTimeoutMs: 0, ports, clock },
  });
  opened.push(() => engine.close());
  return createStoredFleets({ engine, leaseMs, ports });
}

const opened: (() => Promise<void>)[] = [];
afterEachTest(async () => {
  for (const close of opened.splice(0)) await close();
});
