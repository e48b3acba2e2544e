// A system that has no room for another thread: a limit of a container, of a user, or of memory. Node throws as the thread is made.

import { afterEach, beforeAll, expect, it, vi } from "vitest";
import type { Lost } from "../../../src/host/threads/job.js";
import { assertBuilt } from "../../support/built.js";

const room = vi.hoisted(() => ({ threads: Infinity }));

vi.mock("node:worker_threads", async (original) => {
  const actual = await original<typeof import("node:worker_threads")>();
  class Worker extends actual.Worker {
    constructor(...args: ConstructorParameters<typeof actual.Worker>) {
      if (room.threads-- <= 0) throw Object.assign(new Error("EAGAIN"), { code: "ERR_WORKER_INIT_FAILED" });
      super(...args);
    }
  }
  return { ...actual, Worker };
});

const { doJobs } = await import("../../../src/host/threads.js");

// The threads load the compiled package.
beforeAll(assertBuilt);
afterEach(() => {
  room.threads = Infinity;
});

interface Job {
  number: number;
  wrong?: "exit";
}

async function sums(jobs: readonly Job[]): Promise<(number | Lost)[]> {
  const results: (number | Lost)[] = [];
  const all = doJobs<Job, { sum: number } | { lost: Lost }>(jobs, {
    script: new URL("./worker.mjs", import.meta.url),
    settings: { plus: 100 },
    threads: 3,
    here: ({ number }) => Promise.resolve({ sum: number + 100 }),
    lost: (_, why) => ({ lost: why }),
  });
  for await (const result of all) results.push("sum" in result ? result.sum : result.lost);
  return results;
}

const jobs = (length: number): Job[] => Array.from({ length }, (_, number) => ({ number }));
const wanted = jobs(40).map(({ number }) => number + 100);

it.each([0, 1, 2])("with room for %i of three threads all jobs are done", async (threads) => {
  room.threads = threads;
  expect(await sums(jobs(40))).toEqual(wanted);
});

it("goes on where a thread that died cannot be replaced", async () => {
  room.threads = 3;
  const deadly = jobs(40).map((job): Job => (job.number % 8 === 0 ? { ...job, wrong: "exit" } : job));
  const results = await sums(deadly);
  expect(results.filter((_, index) => index % 8 !== 0)).toEqual(wanted.filter((_, index) => index % 8 !== 0));
});
