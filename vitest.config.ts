import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: { alias: { "#crypto": source("./src/platform/crypto-node.ts") } },
  test: {
    include: ["test/**/*.test.ts"],
    // Every core: many tests wait for processes they start, so one core less would stand idle most of the time.
    maxWorkers: "100%",
    // Where CI is set nothing records; the tests of that say so themselves, and the others run alike everywhere.
    env: { CI: "" },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
