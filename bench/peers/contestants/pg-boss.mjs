// pg-boss on PostgreSQL, as bench/engines.mjs drives it: with its defaults, but the shortest polling interval. It has no steps.

import { PgBoss } from "pg-boss";

export async function open({ postgres, name }) {
  const boss = new PgBoss({ connectionString: postgres, schema: "pgboss" });
  boss.on("error", () => undefined);
  await boss.start();
  await boss.createQueue(name);
  return {
    add: (id) => boss.send(name, { id }),
    async start(work, concurrency) {
      // Each of its workers fetches one job at a time, twice a second at most.
      const settings = { batchSize: 1, pollingIntervalSeconds: 0.5 };
      for (let place = 0; place < concurrency; place++) await boss.work(name, settings, ([{ data }]) => work(data.id));
    },
    close: () => boss.stop({ graceful: false }),
  };
}
