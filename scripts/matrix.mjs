// npm run test:matrix: the tests on every other supported line of Node, each fetched from the registry for the occasion.

import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const versions = process.argv.length > 2 ? process.argv.slice(2) : ["22", "24", "26"];
const failed = versions.filter((version) => {
  console.log(`\nplayhead: tests on Node ${version} …`);
  const args = ["-y", "-p", `node@${version}`, "--", "node", "node_modules/vitest/vitest.mjs", "run", "--reporter=dot"];
  return spawnSync("npx", args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" }).status !== 0;
});
console.log(
  failed.length === 0
    ? `\nplayhead: passed on Node ${versions.join(", ")}`
    : `\nplayhead: failed on Node ${failed.join(", ")}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
