// examples/durable/machine.mjs
import { resumeAndDrain } from "playhead/execution";
import { openPostgresExecutionHost } from "playhead/postgres";
import { Agent } from "playhead/session";
import { transfer } from "./transfer.mjs";

/** In place of a provider: it reads what the user wrote, and takes a moment. */
const model = {
  async turn({ messages }) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const answer = `You wrote: ${messages.findLast(({ role }) => role === "user").content}`;
    return { message: { role: "assistant", content: answer }, finalAnswer: answer, stopReason: "stop" };
  },
};

const host = await openPostgresExecutionHost(process.env.DATABASE_URL);
const agent = new Agent({ name: "support", model, tools: [transfer], host });
const worker = host.work({
  namespaces: [agent.namespace],
  deliver: (runId, { signal }) => resumeAndDrain(agent, runId, { signal }),
});

process.once("SIGTERM", async () => {
  await worker.stop(); // waits up to 30 seconds, then suspends the rest for another machine
  await agent.close();
  await host.close();
});
