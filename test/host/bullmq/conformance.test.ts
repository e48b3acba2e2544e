import { it } from "vitest";
import { schedulerConformance } from "../../../src/harness/conformance/scheduler/suite.js";
import { bullmqScheduler } from "../../../src/host/bullmq/scheduler.js";
import { postgresHosts } from "../../support/postgres-host.js";
import { describePostgres, describeRedis } from "../../support/servers.js";

describePostgres("PSS-71 PSS-74 a durable host on PostgreSQL with BullMQ", (server) => {
  const hosts = postgresHosts(server);

  describeRedis("schedules", (redis) => {
    let cases = 0;

    async function open(deliver: (runId: string) => void) {
      const host = await hosts.open();
      host.work({
        namespaces: ["agent:a", "agent:b"],
        queue: await bullmqScheduler({ connection: redis.url, prefix: `case-${++cases}` }),
        deliver: async (runId) => {
          deliver(runId);
          return { kind: "skipped" };
        },
      });
      return host;
    }

    /** Runs become due by the clock of the server. Another pulse of the host sees them, and the queue passes them on. */
    const pass = async (ms: number) => {
      await hosts.pass(ms);
      await new Promise((resolve) => setTimeout(resolve, 200));
    };

    for (const { name, run } of schedulerConformance(open, { patienceMs: 30_000, pass })) it(name, run, 180_000);
  });
});
