// A job and what became of it, as they cross from one thread to another.

/** Does one job. */
export type Handler<Job, Result> = (job: Job) => Promise<Result>;

/** Why a job has no result: its handler threw, or its thread died over it. */
export type Lost = { kind: "threw"; name: string; message: string } | { kind: "died"; message: string };

export type Outcome<Result> = { kind: "done"; result: Result } | Extract<Lost, { kind: "threw" }>;

/** What a thread says: that it has loaded all it needs, or what became of the oldest batch it was given. */
export type Message<Result> = { kind: "ready" } | { kind: "outcomes"; outcomes: Outcome<Result>[] };

/** The most threads that `doJobs` starts. */
export const MAX_THREADS = 64;

/** The options of `doJobs`. */
export interface JobsOptions<Job, Result> {
  /** What a thread runs: a module that calls `serveJobs`. */
  script: URL;
  /** Given to each thread as a structured clone. */
  settings: unknown;
  /** 1 to {@link MAX_THREADS}, started at once; 1 starts none. Absent: the cores there are, and only where it is worth it. */
  threads?: number;
  /** Does a job on this thread. */
  here: Handler<Job, Result>;
  /** The result of a job whose handler threw, or that took its thread down twice. */
  lost: (job: Job, why: Lost) => Result;
}

/** An error keeps its name and message only, as it does between threads. */
export async function attempt<Job, Result>(handle: Handler<Job, Result>, job: Job): Promise<Outcome<Result>> {
  try {
    return { kind: "done", result: await handle(job) };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
    return { kind: "threw", name, message };
  }
}

/** While one file is worked on, the next ones are read. */
const AT_ONCE = 4;

/** The outcomes in the order of the jobs, of which some overlap. `isEnough` is asked before another is begun. */
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
