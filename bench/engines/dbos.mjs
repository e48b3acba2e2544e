// DBOS on PostgreSQL, with a queue. A step is `DBOS.runStep`.

import { DBOS } from "@dbos-inc/dbos-sdk";

export async function open({ postgres, name }) {
  let work;
  const run = async (id) => work(id, (step, done) => DBOS.runStep(done, { name: step }));
  const job = DBOS.registerWorkflow(run, { name: "job" });
  // Only one process may recover the workflows of an executor.
  DBOS.setConfig({ name, systemDatabaseUrl: postgres, executorID: String(process.pid), logLevel: "error" });
  return {
    add: (id) => DBOS.startWorkflow(job, { workflowID: id, queueName: name })(id),
    async start(given, concurrency) {
      work = given;
      await DBOS.launch();
      await DBOS.registerQueue(name, { workerConcurrency: concurrency, minPollingIntervalMs: 100 });
    },
    close: () => DBOS.shutdown(),
  };
}
