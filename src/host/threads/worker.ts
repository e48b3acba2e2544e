// The loop in a thread of `doJobs`: batches of jobs, one after the other.

import { parentPort, workerData } from "node:worker_threads";
import { AgentError } from "../../core/index.js";
import { doOverlapping, type Handler, type Message, type Outcome } from "./job.js";

/** Does jobs until the thread ends. An error of `create` ends it. Throws `AgentError` `invalid-options` outside of a thread. */
export async function serveJobs<Job, Result>(
  create: (settings: unknown) => Promise<Handler<Job, Result>>,
): Promise<void> {
  const port = parentPort;
  if (port === null) {
    throw new AgentError("invalid-options", "serveJobs was called outside of a thread", {
      hint: "Call it in a script that doJobs starts as a thread.",
    });
  }
  const say = (message: Message<Result>): void => port.postMessage(message);
  const handle = await create(workerData);
  let last: Promise<void> = Promise.resolve();
  port.on("message", (jobs: Job[]) => {
    last = last.then(async () => {
      const outcomes: Outcome<Result>[] = [];
      for await (const outcome of doOverlapping(jobs, handle)) outcomes.push(outcome);
      sayAll(say, outcomes);
    });
  });
  say({ kind: "ready" });
}

/** Throws a clear error for a result that cannot be cloned, because the system's error would lose its message on the way. */
function sayAll<Result>(say: (message: Message<Result>) => void, outcomes: Outcome<Result>[]): void {
  try {
    say({ kind: "outcomes", outcomes });
  } catch (error) {
    throw new Error(`a result cannot be sent: ${(error as Error).message}`, { cause: error });
  }
}
