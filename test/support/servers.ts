// Real servers for tests, each in a folder of its own. Where one is missing, its tests are skipped with a message.
// With PLAYHEAD_REQUIRE_POSTGRES=1, PLAYHEAD_REQUIRE_REDIS=1 or PLAYHEAD_REQUIRE_RESTATE=1 they fail instead.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import {
  missing,
  startPostgres,
  startRedis,
  startRestate,
  UNFLUSHED,
  type Postgres,
  type RedisServer,
  type Restate,
} from "../../scripts/servers.mjs";

export interface TestServer extends Omit<Postgres, "stop"> {}

export interface TestRestate extends Omit<Restate, "places"> {
  /** Where clients call services. */
  readonly ingress: string;
  /** Makes the services of an endpoint known to the server. */
  register(endpoint: string): Promise<void>;
}

/** `describe` for tests that need a server, which starts before them and stops after them. */
export function describePostgres(
  name: string,
  body: (server: TestServer) => void,
  settings: readonly string[] = [],
): void {
  const own = [...UNFLUSHED, "autovacuum_naptime=5s", ...settings];
  describeServer({
    ...{ name, body, kind: "postgres" },
    async start(root) {
      const server = await startPostgres(root, own);
      return { server: { ...server, url: server.socketUrl }, stop: () => server.stop() };
    },
  });
}

export function describeRedis(name: string, body: (redis: RedisServer) => void): void {
  describeServer({
    ...{ name, body, kind: "redis" },
    async start(root) {
      const server = await startRedis(root);
      return { server, stop: () => server.kill() };
    },
  });
}

export function describeRestate(name: string, body: (restate: TestRestate) => void): void {
  describeServer({
    ...{ name, body, kind: "restate" },
    async start(root) {
      const { places, ...server } = await startRestate(root);
      async function register(uri: string): Promise<void> {
        const headers = { "content-type": "application/json" };
        const response = await fetch(`${places.admin}/deployments`, {
          ...{ method: "POST", headers, body: JSON.stringify({ uri }) },
        });
        if (!response.ok) throw new Error(`Restate refused ${uri}: ${await response.text()}`);
      }
      return { server: { ...server, ingress: places.ingress, register }, stop: () => server.kill() };
    },
  });
}

interface Suite<Server extends object> {
  readonly name: string;
  readonly kind: keyof typeof missing;
  readonly body: (server: Server) => void;
  readonly start: (root: string) => Promise<{ readonly server: Server; readonly stop: () => Promise<void> }>;
}

function describeServer<Server extends object>({ name, kind, body, start }: Suite<Server>): void {
  const what = missing[kind];
  if (what !== undefined) describeMissing(name, kind, what);
  else
    describe(name, () => {
      // Its properties are there once the server has started.
      const server = {} as Server;
      let root = "";
      let stop: (() => Promise<void>) | undefined;
      beforeAll(async () => {
        // The user of PostgreSQL must be able to reach its folder.
        chmodSync(tmpdir(), 0o711);
        root = mkdtempSync(join(tmpdir(), `${kind}-`));
        const started = await start(root);
        stop = started.stop;
        Object.assign(server, started.server);
      }, 120_000);
      afterAll(async () => {
        await stop?.();
        rmSync(root, { recursive: true, force: true });
      }, 120_000);
      body(server);
    });
}

function describeMissing(name: string, kind: string, what: string): void {
  const variable = `PLAYHEAD_REQUIRE_${kind.toUpperCase()}`;
  process.stderr.write(`skipped: ${name}, since there is ${what}\n`);
  describe(name, () => {
    if (process.env[variable] === "1") {
      it("has its server", () => {
        throw new Error(`${variable}=1, and there is ${what}`);
      });
    } else it.skip(what, () => undefined);
  });
}
