import { beforeAll, describe, expect, it } from "vitest";
import { MAX_THREADS } from "../../src/host/limits.js";
import { doJobs } from "../../src/host/threads.js";
import { serveJobs } from "../../src/host/threads/worker.js";
import type { Lost } from "../../src/host/threads/job.js";
import { assertBuilt } from "../support/built.js";

// The threads load the compiled package.
beforeAll(assertBuilt);

interface Job {
  number: number;
  ms?: number;
  wrong?: "throw" | "exit" | "uncloneable";
}

type Result = { sum: number; isElsewhere: boolean } | { lost: Lost };

const script = new URL("./threads/worker.mjs", import.meta.url);

interface Setup {
  threads?: number;
  failing?: "start";
  script?: URL;
}

const numbers = (length: number): Job[] => Array.from({ length }, (_, number) => ({ number }));

function resultsOf(jobs: readonly Job[], { threads, failing, script: other = script }: Setup): AsyncGenerator<Result> {
  return doJobs<Job, Result>(jobs, {
    script: other,
    settings: { plus: 100, failing },
    ...(threads === undefined ? {} : { threads }),
    here: ({ number, wrong }) => {
      if (wrong === "throw") return Promise.reject(new RangeError("not this one"));
      return Promise.resolve({ sum: number + 100, isElsewhere: false });
    },
    lost: (_, why) => ({ lost: why }),
  });
}

async function all(jobs: readonly Job[], setup: Setup): Promise<Result[]> {
  const results: Result[] = [];
  for await (const result of resultsOf(jobs, setup)) results.push(result);
  return results;
}

const sumsOf = (results: readonly Result[]): (number | undefined)[] =>
  results.map((result) => ("sum" in result ? result.sum : undefined));
const sums = (length: number): number[] => numbers(length).map(({ number }) => number + 100);
const isElsewhere = (result: Result): boolean => "isElsewhere" in result && result.isElsewhere;

describe("doJobs", () => {
  it.each([0, 1, 2, 5, 33, 500])("gives %i results in the order of the jobs, on three threads as on one", async (n) => {
    // The first take longest, so that later ones are done before them.
    const jobs = numbers(n).map((job) => (job.number < 3 ? { ...job, ms: 40 - 10 * job.number } : job));
    const threaded = await all(jobs, { threads: 3 });
    expect(sumsOf(threaded)).toEqual(sums(n));
    expect(sumsOf(await all(jobs, { threads: 1 }))).toEqual(sums(n));
    expect(threaded.every(isElsewhere)).toBe(n !== 1);
  });

  it("does more jobs than may wait for one that is slow", async () => {
    const jobs = numbers(9_000).map((job) => (job.number === 0 ? { ...job, ms: 300 } : job));
    expect(sumsOf(await all(jobs, { threads: 2 }))).toEqual(sums(9_000));
  });

  it("starts no thread unasked for what is soon done", async () => {
    expect((await all(numbers(50), {})).some(isElsewhere)).toBe(false);
  });

  it.each([1, 2])("names the job that throws and does the others, with %i threads", async (threads) => {
    const jobs = numbers(40).map((job): Job => (job.number === 7 ? { ...job, wrong: "throw" } : job));
    const results = await all(jobs, { threads });
    expect(results[7]).toEqual({ lost: { kind: "threw", name: "RangeError", message: "not this one" } });
    expect(sumsOf(results).filter((sum) => sum !== undefined)).toEqual(sums(40).filter((sum) => sum !== 107));
  });

  it("loses nothing but the job that a thread dies over, again and again", async () => {
    const deadly = [0, 7, 8, 39];
    const jobs = numbers(40).map((job): Job => (deadly.includes(job.number) ? { ...job, wrong: "exit" } : job));
    const results = await all(jobs, { threads: 2 });
    for (const index of deadly)
      expect(results[index]).toEqual({ lost: { kind: "died", message: "it exited with code 7" } });
    expect(sumsOf(results).filter((sum) => sum !== undefined)).toHaveLength(36);
  });

  it("names the job whose result cannot be sent", async () => {
    const jobs = numbers(6).map((job): Job => (job.number === 2 ? { ...job, wrong: "uncloneable" } : job));
    const results = await all(jobs, { threads: 2 });
    expect(results[2]).toMatchObject({
      lost: { kind: "died", message: expect.stringContaining("could not be cloned") as string },
    });
    expect(sumsOf(results).filter((sum) => sum !== undefined)).toEqual([100, 101, 103, 104, 105]);
  });

  it.each([
    ["does not come up", { failing: "start" as const }],
    ["is not there", { script: new URL("./threads/none.mjs", import.meta.url) }],
  ])("does the work itself where the thread %s", async (_, setup) => {
    const results = await all(numbers(40), { threads: 2, ...setup });
    expect(sumsOf(results)).toEqual(sums(40));
    expect(results.some(isElsewhere)).toBe(false);
  });

  it("ends its threads when nobody wants more", async () => {
    const results = resultsOf(numbers(5_000), { threads: 2 });
    expect((await results.next()).done).toBe(false);
    await results.return(undefined);
    expect((await results.next()).done).toBe(true);
  });

  it.each([0, 1.5, MAX_THREADS + 1, Number.NaN])("refuses %d threads", async (threads) => {
    await expect(all(numbers(2), { threads })).rejects.toMatchObject({ code: "invalid-options" });
  });
});

it("serveJobs refuses to run outside of a thread of ours", async () => {
  // The test itself may run in a thread of the test runner, which is not asked for jobs.
  const { isMainThread } = await import("node:worker_threads");
  if (!isMainThread) return;
  await expect(serveJobs(() => Promise.resolve(() => Promise.resolve(0)))).rejects.toMatchObject({
    code: "invalid-options",
  });
});
