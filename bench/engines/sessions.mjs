// A process that runs turns of sessions on PostgreSQL, two at once. Arguments: the connection string and the schema. It begins and
// stops at the lines "go" and "stop" on its standard input.

import { createInterface } from "node:readline";
import { resumeAndDrain } from "playhead/execution";
import { openPostgresExecutionHost } from "playhead/postgres";
import { Agent } from "playhead/session";

const [url, schema] = process.argv.slice(2);
const model = {
  async turn() {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { message: { role: "assistant", content: "Done." }, finalAnswer: "Done.", stopReason: "stop" };
  },
};
const host = await openPostgresExecutionHost(url, { schema });
const agent = new Agent({ name: "desk", model, host });
console.log("ready");
let worker;
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "go")
    worker = host.work({
      namespaces: [agent.namespace],
      concurrency: 2,
      deliver: (runId, { signal }) => resumeAndDrain(agent, runId, { signal }),
    });
  else await worker.stop();
  console.log("done");
}
