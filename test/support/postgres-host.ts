// Durable hosts on PostgreSQL for tests, each in a schema of its own, with a clock of the server that a test moves.

import { afterEach } from "vitest";
import type { DurableHost } from "../../src/host/durable/host.js";
import { openPostgresExecutionHost, type PostgresExecutionHostOptions } from "../../src/host/postgres/open.js";
import type { DurableHosts } from "./durable-host.js";
import type { TestServer } from "./servers.js";

export interface PostgresHosts extends DurableHosts {
  /** A host in a new schema, unless one is named. */
  open(options?: PostgresExecutionHostOptions, schema?: string): Promise<DurableHost>;
  /** Moves the clock of the schemas of this test. */
  pass(ms: number): Promise<void>;
}

/** Closes every host after each test. */
export function postgresHosts(server: TestServer): PostgresHosts {
  const hosts: DurableHost[] = [];
  const passed = new Map<string, number>();
  afterEach(async () => {
    passed.clear();
    await Promise.all(hosts.splice(0).map((host) => host.close()));
  });
  return {
    file: () => server.schema(),
    async open(options = {}, schema = server.schema()) {
      if (!passed.has(schema)) passed.set(schema, 0);
      // The clock of the process moves too, or its worker would wait for real seconds.
      const ports = { now: () => Date.now() + (passed.get(schema) ?? 0), ...options.ports };
      const host = await openPostgresExecutionHost(server.url, { ...options, ports, schema });
      hosts.push(host);
      return host;
    },
    async pass(ms) {
      for (const [schema, before] of passed) {
        passed.set(schema, before + ms);
        const now = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${before + ms}`;
        const body = `RETURNS BIGINT LANGUAGE SQL VOLATILE AS 'SELECT ${now}'`;
        await server.sql(`CREATE OR REPLACE FUNCTION "${schema}".now_ms() ${body}`);
      }
    },
  };
}
