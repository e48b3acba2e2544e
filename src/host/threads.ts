// Many jobs of one kind, done on this thread or by several, with the results in the order of the jobs either way. Which thread did a
// job can be told from nothing but the time it took. At most WINDOW results wait for one that comes before them, so that what is
// kept does not grow with the number of jobs.

import { availableParallelism } from "node:os";
import { assertCount } from "./count.js";
import { doInThreads } from "./threads/crew.js";
import { doOverlapping, MAX_THREADS, type JobsOptions } from "./threads/job.js";

/** The most that it starts unasked: more are rarely faster, and each takes some 100 MB. */
const MAX_THREADS_UNASKED = 16;
/** How long it works alone before it estimates what is left. */
const LEARN_MS = 250;
/** A thread takes about half a second of processor time until it has loaded what it needs. */
const WORTH_MS = 2_000;

/**
 * The results of all jobs, in their order. A thread that dies is replaced and what it had in hand is done again, one job at a time; no
 * job is left out. Where no thread can be started, this one does the work. Throws `AgentError` `invalid-options` for a wrong number.
 */
export async function* doJobs<Job, Result>(
  jobs: readonly Job[],
  options: JobsOptions<Job, Result>,
): AsyncGenerator<Result, void, undefined> {
  const { threads = Math.min(availableParallelism(), MAX_THREADS_UNASKED), here, lost } = options;
  assertCount("threads", threads, 1, MAX_THREADS);
  const isWorthIt = options.threads === undefined ? createEstimate(jobs.length) : () => jobs.length > 1;
  let done = 0;
  for await (const outcome of doOverlapping(jobs, here, (count) => threads > 1 && isWorthIt(count))) {
    const job = jobs[done++] as Job;
    yield outcome.kind === "done" ? outcome.result : lost(job, outcome);
  }
  if (done < jobs.length) yield* doInThreads(jobs, done, { ...options, threads });
}

/** True once the jobs that are left would take this thread longer than starting others is worth. */
function createEstimate(total: number): (done: number) => boolean {
  const started = performance.now();
  return (done) => {
    const elapsed = performance.now() - started;
    return elapsed >= LEARN_MS && (elapsed / done) * (total - done) >= WORTH_MS;
  };
}
