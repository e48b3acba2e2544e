import { threadId } from "node:worker_threads";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { doJobs } from "../../../src/host/threads.js";
import { keepThreads } from "../../../src/host/threads/kept.js";
import { assertBuilt, compiledModule } from "../../support/built.js";

// The threads load the compiled package.
beforeAll(assertBuilt);

const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { threadId } from "node:worker_threads";
    import { serveJobs } from ${JSON.stringify(pathToFileURL(compiledModule("host/index.js")).href)};
    await serveJobs(async () => async (job) => (job === "die" ? process.exit(7) : threadId));
  `)}`,
);

it("several doJobs use the same threads in turn, and replace one that died", async () => {
  const kept = keepThreads();
  const threadsOf = async (jobs: readonly string[]): Promise<Set<number>> => {
    const used = new Set<number>();
    const here = (): Promise<number> => Promise.resolve(threadId);
    for await (const id of doJobs(jobs, { script, settings: {}, threads: 2, kept, here, lost: () => -1 })) used.add(id);
    return used;
  };
  const many = Array.from({ length: 200 }, () => "work");
  try {
    const first = await threadsOf(many);
    expect(first).not.toContain(threadId);
    expect(kept.count).toBe(2);
    const second = await threadsOf(many);
    const fresh = [...second].filter((id) => !first.has(id));
    // A thread that was slow to start may have had no job in the first turn.
    expect(first.size + fresh.length).toBeLessThanOrEqual(2);
    expect(await threadsOf(["die", ...many])).toContain(-1);
    expect(await threadsOf(many)).not.toContain(threadId);
  } finally {
    await kept.close();
  }
  expect(kept.count).toBe(0);
});
