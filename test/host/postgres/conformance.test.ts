import { describe, it } from "vitest";
import { executionStoreConformance } from "../../../src/harness/conformance/execution-store/suite.js";
import { schedulerConformance } from "../../../src/harness/conformance/scheduler/suite.js";
import { sessionStoreConformance } from "../../../src/harness/conformance/session-store/suite.js";
import { postgresHosts } from "../../support/postgres-host.js";
import { describePostgres } from "../../support/servers.js";

describePostgres("a durable host on PostgreSQL", (server) => {
  const hosts = postgresHosts(server);
  const open = () => hosts.open();
  /** Each case has a schema of its own. */
  const patienceMs = 30_000;

  /** Runs become due by the clock of the server. Another pulse of the host sees them. */
  const pass = async (ms: number) => {
    await hosts.pass(ms);
    await new Promise((resolve) => setTimeout(resolve, 150));
  };

  async function openWithWorker(deliver: (runId: string) => void) {
    const host = await open();
    host.work({
      namespaces: ["agent:a", "agent:b"],
      deliver: async (runId) => {
        deliver(runId);
        return { kind: "skipped" };
      },
    });
    return host;
  }

  describe("keeps sessions", () => {
    for (const { name, run } of sessionStoreConformance(async () => (await open()).store.sessions, { patienceMs }))
      it(name, run);
  });

  describe("keeps runs", () => {
    for (const { name, run } of executionStoreConformance(open, { patienceMs, pass: (ms) => hosts.pass(ms) }))
      it(name, run);
  });

  describe("schedules", () => {
    for (const { name, run } of schedulerConformance(openWithWorker, { patienceMs, pass })) it(name, run);
  });
});
