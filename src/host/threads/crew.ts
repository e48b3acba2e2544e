// The threads of `doJobs`. Each has up to two batches, so that it never waits for this thread. See queue.ts for the order, and job.ts for
// the messages.

import { thrownText } from "../../core/index.js";
import { Worker } from "node:worker_threads";
import { MAX_THREAD_YOUNG_MB, THREAD_LEARN_MS, THREAD_WORTH_MS } from "../limits.js";
import { attempt, type JobsOptions, type Message } from "./job.js";
import type { KeptThreads } from "./kept.js";
import { createBatchQueue, type Batch } from "./queue.js";

const BATCHES_IN_HAND = 2;
/** Threads that are started at once. */
const FIRST_THREADS = 2;

interface Member {
  worker: Worker;
  inHand: Batch[];
  isReady: boolean;
  error: string | undefined;
}

/** The results of the jobs from `from` on, in their order. */
export async function* doInThreads<Job, Result>(
  jobs: readonly Job[],
  from: number,
  options: JobsOptions<Job, Result> & { threads: number },
): AsyncGenerator<Result, void, undefined> {
  const { here, lost } = options;
  const results = new Map<number, Result>();
  let oldest = from;
  let wake = (): void => undefined;
  const crew = openCrew(jobs, from, options, {
    oldest: () => oldest,
    store: (index, result) => void results.set(index, result),
    onChange: () => wake(),
  });
  try {
    for (; oldest < jobs.length; oldest++) {
      while (!results.has(oldest) && crew.isAlive()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          crew.feed();
        });
      }
      if (results.has(oldest)) {
        yield results.get(oldest) as Result;
        results.delete(oldest);
      } else {
        // No thread is left, so this one does the job.
        const job = jobs[oldest] as Job;
        const outcome = await attempt(here, job);
        yield outcome.kind === "done" ? outcome.result : lost(job, outcome);
      }
    }
  } finally {
    await crew.close();
  }
}

interface Desk<Result> {
  /** The first job without a result. */
  oldest(): number;
  store(index: number, result: Result): void;
  /** Called after a result, and when a thread is gone. */
  onChange(): void;
}

/** Undefined if the system cannot start another thread. */
function start(script: URL, settings: unknown): Worker | undefined {
  try {
    return new Worker(script, {
      workerData: settings,
      resourceLimits: { maxYoungGenerationSizeMb: MAX_THREAD_YOUNG_MB },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_WORKER_INIT_FAILED") return undefined;
    throw error;
  }
}

/**
 * Returns a function that is true if every thread would have enough work with one thread more. It measures processor time, because a busy
 * machine needs no more threads. The time to load modules must not count, so call it only while all threads are ready.
 */
function createGrowth(total: number): (done: number, threads: number) => boolean {
  let since: { done: number; threads: number; used: NodeJS.CpuUsage } | undefined;
  return (done, threads) => {
    if (since?.threads !== threads) since = { done, threads, used: process.cpuUsage() };
    const { user, system } = process.cpuUsage(since.used);
    const spentMs = (user + system) / 1_000;
    const leftMs = (spentMs / (done - since.done)) * (total - done);
    return spentMs >= THREAD_LEARN_MS && leftMs >= (threads + 1) * THREAD_WORTH_MS;
  };
}

function openCrew<Job, Result>(
  jobs: readonly Job[],
  from: number,
  { script, settings, threads, kept, lost }: JobsOptions<Job, Result> & { threads: number },
  desk: Desk<Result>,
) {
  const count = Math.min(threads, jobs.length - from);
  const queue = createBatchQueue(from, jobs.length, count);
  const members = new Set<Member>();
  const isWorthOneMore = createGrowth(jobs.length - from);
  let done = 0;

  function hire(): void {
    const idle = kept?.take();
    const worker = idle ?? start(script, settings);
    if (worker === undefined) return;
    const member: Member = { worker, inHand: [], isReady: idle !== undefined, error: undefined };
    members.add(member);
    worker.on("message", (message: Message<Result>) => listen(member, message));
    worker.on("error", (error: unknown) => (member.error = thrownText(error)));
    // An unreadable message would never arrive.
    worker.on("messageerror", () => void worker.terminate());
    worker.on("exit", (code) => mourn(member, member.error ?? `it exited with code ${code}`));
  }

  function listen(member: Member, message: Message<Result>): void {
    if (message.kind === "ready") return void (member.isReady = true);
    const batch = member.inHand.shift();
    batch?.indexes.forEach((index, at) => {
      const outcome = message.outcomes[at];
      if (outcome === undefined) return;
      desk.store(index, outcome.kind === "done" ? outcome.result : lost(jobs[index] as Job, outcome));
    });
    done += batch?.indexes.length ?? 0;
    const areReady = [...members].every(({ isReady }) => isReady);
    if (areReady && members.size < count && isWorthOneMore(done, members.size)) hire();
    feed();
    desk.onChange();
  }

  function mourn(member: Member, message: string): void {
    members.delete(member);
    const blamed = queue.giveBack(member.inHand, member.isReady);
    if (blamed !== undefined) desk.store(blamed, lost(jobs[blamed] as Job, { kind: "died", message }));
    // A thread that never started would fail again.
    if (member.isReady) hire();
    feed();
    desk.onChange();
  }

  function feed(): void {
    for (const member of members) feedOne(member);
  }

  function feedOne(member: Member): void {
    while (member.inHand.length < BATCHES_IN_HAND && member.inHand[0]?.isRetry !== true) {
      const batch = queue.take(member.inHand.length === 0, desk.oldest());
      if (batch === undefined) return;
      member.inHand.push(batch);
      member.worker.postMessage(batch.indexes.map((index) => jobs[index]));
    }
  }

  const first = Math.min(count, Math.max(FIRST_THREADS, kept?.count ?? 0));
  for (let index = 0; index < first; index++) hire();
  return {
    isAlive: () => members.size > 0,
    feed,
    close: () => dismiss([...members], kept),
  };
}

/** Keeps the idle threads if the caller wants them, and ends the others. */
async function dismiss(members: readonly Member[], kept: KeptThreads | undefined): Promise<void> {
  await Promise.all(
    members.map(async ({ worker, isReady, inHand }) => {
      worker.removeAllListeners("exit");
      if (kept !== undefined && isReady && inHand.length === 0) kept.keep(worker);
      else await worker.terminate();
    }),
  );
}
