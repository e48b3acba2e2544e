// examples/durable/queue.mjs
import { bullmqScheduler } from "playhead/bullmq";
import { resumeAndDrain } from "playhead/execution";
import { openPostgresExecutionHost } from "playhead/postgres";
import { Agent } from "playhead/session";

/** In place of a provider: it takes a moment, and says which process answers. */
const model = {
  async turn() {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const answer = `Process ${process.pid} answers.`;
    return { message: { role: "assistant", content: answer }, finalAnswer: answer, stopReason: "stop" };
  },
};

const host = await openPostgresExecutionHost(process.env.DATABASE_URL);
const agent = new Agent({ name: "support", model, host });
const worker = host.work({
  namespaces: [agent.namespace],
  queue: await bullmqScheduler({ connection: process.env.REDIS_URL }),
  deliver: (runId, { signal }) => resumeAndDrain(agent, runId, { signal }),
});

process.once("SIGTERM", async () => {
  await worker.stop();
  await agent.close();
  await host.close();
});
