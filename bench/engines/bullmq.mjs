// BullMQ on Redis, with its defaults. It has no steps.

import { Queue, Worker } from "bullmq";

export async function open({ redis, name }) {
  const connection = { port: redis, maxRetriesPerRequest: null };
  const queue = new Queue(name, { connection });
  let worker;
  return {
    add: (id) => queue.add("job", { id }, { removeOnComplete: true }),
    async start(work, concurrency) {
      worker = new Worker(name, ({ data }) => work(data.id), { connection, concurrency });
      worker.on("error", () => undefined);
      await worker.waitUntilReady();
    },
    async close() {
      await worker?.close(true);
      await queue.close();
    },
  };
}
