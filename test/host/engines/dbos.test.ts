// examples/durable/dbos.mjs on DBOS and a real PostgreSQL server.

import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { afterEach } from "vitest";
import { itSurvives } from "../../support/desk.js";
import { describePostgres } from "../../support/servers.js";

describePostgres("examples/durable/dbos.mjs", (server) => {
  let client: DBOSClient | undefined;
  const close = async () => {
    await client?.destroy();
    client = undefined;
  };
  afterEach(close);

  itSurvives({
    program: "dbos.mjs",
    needsNewWorker: true,
    env: () => ({ DATABASE_URL: server.url }),
    async connect() {
      client ??= await DBOSClient.create({ systemDatabaseUrl: server.url });
    },
    async send(workflowID, key, text) {
      client ??= await DBOSClient.create({ systemDatabaseUrl: server.url });
      const where = { workflowName: "send", queueName: "desk", workflowID, queuePartitionKey: key };
      return (await client.enqueue(where, key, text)).getResult();
    },
    async restart() {
      await server.crash();
      await server.start();
    },
  });
});
