// Workers that share the runs of a store through BullMQ, while they and Redis are killed.

import { describeKills, hostProcesses } from "../../support/host-processes.js";
import { postgresHosts } from "../../support/postgres-host.js";
import { describePostgres, describeRedis } from "../../support/servers.js";

describePostgres("on PostgreSQL", (server) => {
  describeRedis("with BullMQ", (redis) => {
    describeKills(
      postgresHosts(server),
      hostProcesses("postgres.js", () => ({
        PLAYHEAD_TEST_DATABASE: server.url,
        PLAYHEAD_TEST_REDIS: redis.url,
      })),
      // Redis loses what it has, also while it is not there.
      async (round) => {
        if (round % 3 === 2) {
          await redis.command("FLUSHALL");
          return;
        }
        await redis.kill();
        if (round % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 500));
        await redis.start();
      },
    );
  });
});
