import { describeProcesses, hostProcesses } from "../../support/host-processes.js";
import { postgresHosts } from "../../support/postgres-host.js";
import { describePostgres } from "../../support/postgres.js";

describePostgres("on PostgreSQL", (server) => {
  describeProcesses(
    postgresHosts(server),
    hostProcesses("host/postgres/index.js", () => ({ PLAYHEAD_TEST_DATABASE: server.url })),
    4,
  );
});
