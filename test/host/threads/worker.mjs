// A thread for the tests of `doJobs`: adds to numbers, and does what a job says goes wrong. It stands on the compiled package.

import { threadId } from "node:worker_threads";
import { serveJobs } from "../../../.playhead/modules/host/index.js";

await serveJobs(async ({ plus, failing }) => {
  if (failing === "start") throw new Error("never came up");
  return async (job) => {
    if (job.ms !== undefined) await new Promise((resolve) => setTimeout(resolve, job.ms));
    if (job.wrong === "throw") throw new RangeError("not this one");
    if (job.wrong === "exit") process.exit(7);
    if (job.wrong === "uncloneable") return () => undefined;
    return { sum: job.number + plus, isElsewhere: threadId !== 0 };
  };
});
