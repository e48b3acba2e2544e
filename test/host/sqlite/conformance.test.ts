import { afterAll, describe, it } from "vitest";
import { executionStoreConformance } from "../../../src/harness/conformance/execution-store/suite.js";
import { schedulerConformance } from "../../../src/harness/conformance/scheduler/suite.js";
import { sessionStoreConformance } from "../../../src/harness/conformance/session-store/suite.js";
import { openSqliteExecutionHost } from "../../../src/host/sqlite/open.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let files = 0;
let nowMs = 1_000_000;
const patienceMs = 30_000;

const open = () => openSqliteExecutionHost(folder.path(`host-${files++}.db`), { ports: { now: () => nowMs } });

/** The pulse of a host beats ten times a second. */
const pass = async (ms: number) => {
  nowMs += ms;
  await new Promise((resolve) => setTimeout(resolve, 150));
};

async function openWithWorker(deliver: (runId: string) => void) {
  const host = await open();
  host.work({
    namespaces: ["agent:a", "agent:b"],
    deliver: async (runId) => {
      deliver(runId);
      return { kind: "skipped" };
    },
  });
  return host;
}

describe("the session store of a durable host on SQLite", () => {
  for (const { name, run } of sessionStoreConformance(async () => (await open()).store.sessions, { patienceMs }))
    it(name, run);
});

describe("the execution store of a durable host on SQLite", () => {
  for (const { name, run } of executionStoreConformance(open, { patienceMs, pass: (ms) => void (nowMs += ms) }))
    it(name, run);
});

describe("the scheduler of a durable host on SQLite", () => {
  for (const { name, run } of schedulerConformance(openWithWorker, { patienceMs, pass })) it(name, run);
});
