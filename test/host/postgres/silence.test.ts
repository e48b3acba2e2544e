// Servers that answer nothing, as behind a network that drops packets, or end a connection as it begins.

import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import { MAX_STORE_WAIT_MS, systemPorts } from "../../../src/core/index.js";
import { toConnections } from "../../../src/host/postgres/connection/driver.js";
import { openLine } from "../../../src/host/postgres/connection/line.js";
import type { PgClient, PgPool } from "../../../src/host/postgres/connection/types.js";
import { createPostgresEngine } from "../../../src/host/postgres/engine.js";
import { migrate } from "../../../src/host/postgres/migrate.js";
import { openPostgresExecutionHost } from "../../../src/host/postgres/open.js";

const never = () => new Promise<never>(() => undefined);
const SILENT = { code: "store-failed", retryable: true, message: expect.stringContaining("did not answer within") };

/** Time passes a thousand times as fast. */
const ports = { ...systemPorts, timer: (ms: number, run: () => void) => systemPorts.timer(ms / 1_000, run) };

/** A client that answers up to the first text that contains `from`. */
function clientUntil(from: string) {
  const release = vi.fn();
  const query = (text: string) =>
    text.includes(from) ? never() : Promise.resolve({ rows: [{ now_ms: "1" }], rowCount: 1, command: text });
  return { release, client: { release, query, on: () => undefined } as unknown as PgClient };
}

const poolOf = (client: PgClient) => ({ connect: async () => client, query: vi.fn(never) });
const engineOf = (pool: PgPool, more = {}) =>
  createPostgresEngine({ pool, schema: "s", ports, line: undefined, ...more });

it.each(["BEGIN", "SELECT 1", "COMMIT"])(
  "ends a transaction whose %s is not answered, with its connection",
  async (text) => {
    const { client, release } = clientUntil(text);
    const running = engineOf(poolOf(client)).transaction((sql) => sql.all("SELECT 1"));
    await expect(running).rejects.toMatchObject(SILENT);
    expect(release.mock.calls).toEqual([[true]]);
  },
);

it("opens neither a store nor a life lock", async () => {
  const [store, line] = [clientUntil(""), clientUntil("LISTEN")];
  const terms = { schema: "s", ports };
  await expect(migrate({ ...terms, pool: poolOf(store.client), mayMigrate: true })).rejects.toMatchObject(SILENT);
  await expect(openLine({ ...terms, dedicated: async () => line.client, hostId: "h" })).rejects.toMatchObject(SILENT);
  for (const { release } of [store, line]) expect(release.mock.calls).toEqual([[true]]);
});

it("lets the driver close the connection of a late read, and closes without it", async () => {
  const warn = vi.fn();
  const pool = poolOf(clientUntil("").client);
  const engine = engineOf(pool, { ports: { ...ports, warn }, end: never });
  await expect(engine.query("SELECT 1")).rejects.toMatchObject(SILENT);
  expect(pool.query.mock.calls).toMatchObject([[{ text: "SELECT 1", query_timeout: MAX_STORE_WAIT_MS }]]);
  await engine.close();
  expect(warn.mock.calls).toEqual([["a connection to PostgreSQL did not close"]]);
});

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const message = (type: string, body: string): Buffer => {
  const bytes = Buffer.from(`${type}\0\0\0\0${body}`, "latin1");
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
};

it("reports a connection that the server ends in the packet that begins it", async () => {
  const fatal = message("E", "SFATAL\0C57P01\0Mterminating connection\0\0");
  const hello = Buffer.concat([message("R", "\0\0\0\0"), message("Z", "I"), fatal]);
  const server = createServer(
    (socket) => void socket.on("error", () => undefined).once("data", () => socket.end(hello)),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const url = `postgres://me@127.0.0.1:${port}/db`;
  await expect(openPostgresExecutionHost(url)).rejects.toMatchObject({ code: "store-failed", retryable: true });
  const { dedicated = never } = await toConnections(url);
  const line = openLine({ dedicated, hostId: "h", schema: "s", ports: systemPorts });
  await expect(line).rejects.toMatchObject({ code: "store-failed", retryable: true });
  await once(server.close(), "close");
});
