// More threads than the first two. On a real machine each must have seconds of work, which no test waits for, so the limits are lower.

import { pathToFileURL } from "node:url";
import { beforeAll, expect, it, vi } from "vitest";
import { assertBuilt, compiledModule } from "../../support/built.js";

vi.mock("../../../src/host/limits.js", async (original) => ({
  ...(await original<typeof import("../../../src/host/limits.js")>()),
  THREAD_LEARN_MS: 0,
  THREAD_WORTH_MS: 0,
}));

const { doJobs } = await import("../../../src/host/threads.js");
const { keepThreads } = await import("../../../src/host/threads/kept.js");

// The threads load the compiled package.
beforeAll(assertBuilt);

/** Counts its threads. A job may wait until as many have started as it says. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { serveJobs } from ${JSON.stringify(pathToFileURL(compiledModule("host/index.js")).href)};
    await serveJobs(async (started) => {
      Atomics.add(started, 0, 1);
      return async (threads) => {
        while (Atomics.load(started, 0) < threads) await new Promise((resolve) => setTimeout(resolve, 5));
        return threads;
      };
    });
  `)}`,
);

it("starts more threads than the first two while there is work for them, and at most as many as wanted", async () => {
  const started = new Int32Array(new SharedArrayBuffer(4));
  // The first jobs end at once and so show that there is more work. Later ones need a third thread to end.
  const jobs = Array.from({ length: 400 }, (_, index) => (index < 200 ? 1 : 3));
  const kept = keepThreads();
  const results: number[] = [];
  const options = { script, settings: started, threads: 3, kept, here: () => Promise.resolve(0), lost: () => -1 };
  try {
    for await (const result of doJobs(jobs, options)) results.push(result);
    expect(results).toEqual(jobs);
    expect([Atomics.load(started, 0), kept.count]).toEqual([3, 3]);
  } finally {
    await kept.close();
  }
});
