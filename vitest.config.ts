import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Files that start many processes, and take from half a minute on. */
const LONG = [
  ...["test/docs/", "test/harness/fixture/", "test/cli/mutate", "test/bench", "test/drift-docs", "test/guides"],
  ...["test/python/", "test/cli/runs", "test/cli/ui/ui.browser", "test/host/engines/"],
];

/** Rooms whose modules load once for all files: a test leaves nothing behind in a module or in the process. */
const SHARED = "core|cassette|cli|harness|host|laws|vectors";

/** Files in the same rooms that replace modules or globals, or start test runners. */
const ALONE = [
  "test/core/providers/bytes.test.ts",
  "test/core/env/environment.test.ts",
  "test/cassette/trust/load-cassette.test.ts",
  "test/harness/cassette/use-cassette.test.ts",
  "test/harness/conformance/inputs.test.ts",
  "test/harness/fixture/**/*.test.ts",
  "test/cli/{child,exchange-filters,held-conversations}.test.ts",
  "test/cli/control/closing.test.ts",
  "test/cli/serve/listen.test.ts",
  "test/host/{fleet,json-lines,pluck}.test.ts",
  "test/host/bullmq/scheduler.test.ts",
  "test/host/durable/clocks.test.ts",
  "test/host/files/{list,write}.test.ts",
  "test/host/postgres/examples.test.ts",
  "test/host/process/fabric/wires.test.ts",
  "test/host/process/zmq/driver.test.ts",
  "test/host/serve/http2.test.ts",
  "test/host/threads/{growth,no-room}.test.ts",
  "test/host/verbs/html.test.ts",
];

/** Begins with the long files, so that no core is left over with one of them at the end. Vitest knows no times in a fresh clone. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((path) => moduleId.includes(`/${path}`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  resolve: { alias: { "#crypto": source("./src/platform/crypto-node.ts") } },
  test: {
    // Every core: many tests wait for processes they start, so one core less would stand idle most of the time.
    maxWorkers: "100%",
    // Where CI is set nothing records; the tests of that say so themselves, and the others run alike everywhere.
    env: { CI: "" },
    sequence: { sequencer: LongFirst },
    globalSetup: ["test/support/temporary-root.ts"],
    setupFiles: ["test/support/law-seed.ts", "test/support/run-hooks.ts"],
    // Only a test that hangs is ended by its time limit. A busy machine takes several times as long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A wait ends when what it waits for is there. A second, the default, is too short for a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Loading modules for each of these files took a third of the time of the suite.
    projects: [
      {
        extends: true,
        test: { name: "shared", include: [`test/@(${SHARED})/**/*.test.ts`], exclude: ALONE, isolate: false },
      },
      {
        extends: true,
        test: { name: "alone", include: ["test/*.test.ts", `test/!(${SHARED})/**/*.test.ts`, ...ALONE] },
      },
    ],
  },
});
