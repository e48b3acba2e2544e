// Jobs and their outcomes, as messages between threads.

import type { KeptThreads } from "./kept.js";

export type Handler<Job, Result> = (job: Job) => Promise<Result>;

/** Why a job has no result: its handler threw, or its thread died. */
export type Lost = { kind: "threw"; name: string; message: string } | { kind: "died"; message: string };

export type Outcome<Result> = { kind: "done"; result: Result } | Extract<Lost, { kind: "threw" }>;

/** A message of a thread: it has loaded its modules, or the outcomes of its oldest batch. */
export type Message<Result> = { kind: "ready" } | { kind: "outcomes"; outcomes: Outcome<Result>[] };

export interface JobsOptions<Job, Result> {
  /** The module of a thread, which calls `serveJobs`. */
  script: URL;
  /** Passed to each thread as a structured clone. */
  settings: unknown;
  /** Highest number of threads, 1 to {@link MAX_THREADS}. 1 starts no thread. Default: up to one per core, if that is faster. */
  threads?: number;
  /** Threads of an earlier `doJobs` are used again, and those of this one are kept. The caller closes them. */
  kept?: KeptThreads;
  here: Handler<Job, Result>;
  /** The result of a job whose handler threw, or that ended its thread twice. */
  lost: (job: Job, why: Lost) => Result;
}

/** An error keeps only its name and message, as between threads. */
export async function attempt<Job, Result>(handle: Handler<Job, Result>, job: Job): Promise<Outcome<Result>> {
  try {
    return { kind: "done", result: await handle(job) };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
    return { kind: "threw", name, message };
  }
}

/** Jobs that overlap on one thread, so that the next files are read while one is checked. */
const AT_ONCE = 4;

/** Yields the outcomes in the order of the jobs, some of which overlap. `isEnough` stops further jobs. */
export async function* doOverlapping<Job, Result>(
  jobs: readonly Job[],
  handle: Handler<Job, Result>,
  isEnough: (done: number) => boolean = () => false,
): AsyncGenerator<Outcome<Result>, void, undefined> {
  const begun: Promise<Outcome<Result>>[] = [];
  let [next, done] = [0, 0];
  while (done < jobs.length) {
    const free = isEnough(done) ? 0 : AT_ONCE - begun.length;
    for (const job of jobs.slice(next, next + free)) begun.push(attempt(handle, job));
    next = done + begun.length;
    const first = begun.shift();
    if (first === undefined) return;
    yield await first;
    done++;
  }
}
