// The threads of `doJobs`. Each has up to two batches, so that it never waits for this thread. See queue.ts for the order, and job.ts for
// the messages.

import { thrownText } from "../../core/index.js";
import { Worker } from "node:worker_threads";
import { MAX_THREAD_YOUNG_MB } from "../limits.js";
import { attempt, type JobsOptions, type Message } from "./job.js";
import { createBatchQueue, type Batch } from "./queue.js";

const BATCHES_IN_HAND = 2;

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

function openCrew<Job, Result>(
  jobs: readonly Job[],
  from: number,
  { script, settings, threads, lost }: JobsOptions<Job, Result> & { threads: number },
  desk: Desk<Result>,
) {
  const count = Math.min(threads, jobs.length - from);
  const queue = createBatchQueue(from, jobs.length, count);
  const members = new Set<Member>();

  function hire(): void {
    const worker = start(script, settings);
    if (worker === undefined) return;
    const member: Member = { worker, inHand: [], isReady: false, error: undefined };
    members.add(member);
    worker.on("message", (message: Message<Result>) => listen(member, message));
    worker.on("error", (error: unknown) => (member.error = thrownText(error)));
    // An unreadable message would never arrive.
    worker.on("messageerror", () => void worker.terminate());
    worker.on("exit", (code) => mourn(member, member.error ?? `it exited with code ${code}`));
  }

  function listen(member: Member, message: Message<Result>): void {
    if (message.kind === "ready") {
      member.isReady = true;
      return;
    }
    const batch = member.inHand.shift();
    batch?.indexes.forEach((index, at) => {
      const outcome = message.outcomes[at];
      if (outcome === undefined) return;
      desk.store(index, outcome.kind === "done" ? outcome.result : lost(jobs[index] as Job, outcome));
    });
    feedOne(member);
    desk.onChange();
  }

  function mourn(member: Member, message: string): void {
    members.delete(member);
    const blamed = queue.giveBack(member.inHand);
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

  for (let index = 0; index < count; index++) hire();
  return {
    isAlive: () => members.size > 0,
    feed,
    async close(): Promise<void> {
      const all = [...members];
      for (const { worker } of all) worker.removeAllListeners("exit");
      await Promise.all(all.map(({ worker }) => worker.terminate()));
    },
  };
}
