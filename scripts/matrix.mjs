// npm run test:matrix: runs the tests on every other supported line of Node, fetched from the registry for the run.
//
//   node scripts/matrix.mjs [VERSION...] [--platform]
//
// --platform runs only the tests of features that differ between versions of Node: sockets, SQLite, crypto, streams, threads and processes.
// Tests of database servers are left out.

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Their clients are written in plain JavaScript, and the full run has them. */
const DATABASES = ["postgres", "bullmq", "engines"];
const PLATFORM_TESTS = [
  ...readdirSync(join(root, "test/host"))
    .filter((name) => !DATABASES.includes(name))
    .map((name) => `test/host/${name}`),
  "test/platform/",
  "test/entry/",
  "test/vectors/",
  "test/memory",
  "test/core/canon/",
  "test/core/providers/",
  "test/harness/faults/",
  "test/cassette/sign",
  "test/cli/proxy",
  "test/cli/serve",
  "test/cli/sign",
  "test/cli/verify",
];

const args = process.argv.slice(2);
const tests = args.includes("--platform") ? PLATFORM_TESTS : [];
const named = args.filter((arg) => arg !== "--platform");
const versions = named.length > 0 ? named : ["22", "24", "26"];
const failed = versions.filter((version) => {
  console.log(`\nplayhead: ${tests.length > 0 ? "platform tests" : "tests"} on Node ${version} …`);
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--silent=passed-only", ...tests];
  const npx = ["-y", "-p", `node@${version}`, "--", "node", ...vitest];
  // The full run has all rounds of kills.
  const env = { PLAYHEAD_KILL_ROUNDS: "5", ...process.env };
  return spawnSync("npx", npx, { cwd: root, env, stdio: "inherit", shell: process.platform === "win32" }).status !== 0;
});
console.log(
  failed.length === 0
    ? `\nplayhead: passed on Node ${versions.join(", ")}`
    : `\nplayhead: failed on Node ${failed.join(", ")}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
