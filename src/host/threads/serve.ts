// What a thread of `doJobs` runs: batches of jobs, one after the other.

import { parentPort, workerData } from "node:worker_threads";
import { AgentError } from "../../core/index.js";
import { doOverlapping, type Handler, type Message, type Outcome } from "./job.js";

/**
 * Takes jobs until the thread is ended. `create` gets the settings of `doJobs`; what it throws ends the thread. Throws `AgentError`
 * `invalid-options` outside of a thread.
 */
export async function serveJobs<Settings, Job, Result>(
  create: (settings: Settings) => Promise<Handler<Job, Result>>,
): Promise<void> {
  const port = parentPort;
  if (port === null) {
    throw new AgentError("invalid-options", "there is no thread to serve", {
      hint: "This runs in a thread of doJobs.",
    });
  }
  const say = (message: Message<Result>): void => port.postMessage(message);
  const handle = await create(workerData as Settings);
  let last: Promise<void> = Promise.resolve();
  port.on("message", (jobs: Job[]) => {
    last = last.then(async () => {
      const outcomes: Outcome<Result>[] = [];
      for await (const outcome of doOverlapping(jobs, handle)) outcomes.push(outcome);
      say({ kind: "outcomes", outcomes });
    });
  });
  say({ kind: "ready" });
}
