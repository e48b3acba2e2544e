import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Files that start many processes, and take from half a minute on. */
const LONG = ["test/docs/", "test/harness/fixture/", "test/cli/mutate", "test/bench", "test/drift-docs", "test/guides"];

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
    include: ["test/**/*.test.ts"],
    // Every core: many tests wait for processes they start, so one core less would stand idle most of the time.
    maxWorkers: "100%",
    // Where CI is set nothing records; the tests of that say so themselves, and the others run alike everywhere.
    env: { CI: "" },
    sequence: { sequencer: LongFirst },
    globalSetup: ["test/support/temporary-root.ts"],
    setupFiles: ["test/support/law-seed.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
