// Does many jobs of one kind on this thread or on several, with the results in the order of the jobs. At most WINDOW results wait for an
// earlier one, so that the memory does not grow with the number of jobs.

import { availableParallelism } from "node:os";
import { assertCount } from "./integer-option.js";
import { DEFAULT_MAX_THREADS, MAX_THREADS, THREAD_LEARN_MS, THREAD_WORTH_MS } from "./limits.js";
import { doInThreads } from "./threads/crew.js";
import { doOverlapping, type JobsOptions } from "./threads/job.js";

/** Yields the results in order. A thread that dies is replaced, and its jobs are done again one by one. Without any, this one does them. */
export async function* doJobs<Job, Result>(
  jobs: readonly Job[],
  options: JobsOptions<Job, Result>,
): AsyncGenerator<Result, void, undefined> {
  const { threads = Math.min(availableParallelism(), DEFAULT_MAX_THREADS), kept, here, lost } = options;
  assertCount("threads", threads, 1, MAX_THREADS);
  const isRequested = options.threads !== undefined || (kept?.count ?? 0) > 0;
  const isWorthIt = isRequested ? () => jobs.length > 1 : createEstimate(jobs.length);
  let done = 0;
  for await (const outcome of doOverlapping(jobs, here, (count) => threads > 1 && isWorthIt(count))) {
    const job = jobs[done++] as Job;
    yield outcome.kind === "done" ? outcome.result : lost(job, outcome);
  }
  if (done < jobs.length) yield* doInThreads(jobs, done, { ...options, threads });
}

/** True once the remaining jobs would take this thread so long that other threads pay off. */
function createEstimate(total: number): (done: number) => boolean {
  const started = performance.now();
  return (done) => {
    const elapsed = performance.now() - started;
    return elapsed >= THREAD_LEARN_MS && (elapsed / done) * (total - done) >= THREAD_WORTH_MS;
  };
}
