// npm run trial:vitest: runs the fixture's tests with a version of Vitest other than the installed one. By default
// that is the newest 5, which needs Node 22.12 or newer. It is installed in a separate folder (needs a network). For
// another Vitest, or another Node:
//   node scripts/trial-vitest.mjs 5.0.0-beta.3
//   npx -y -p node@24 -- node scripts/trial-vitest.mjs

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const TESTS = ["vitest", "commands", "watch", "runs"].map((name) => `test/harness/fixture/${name}.test.ts`);
const folder = mkdtempSync(join(tmpdir(), "playhead-vitest-"));
process.exitCode = trial(process.argv[2] ?? "5");
rmSync(folder, { recursive: true, force: true });

function trial(wanted) {
  const built = run(process.execPath, [join(root, "scripts/bootstrap.mjs"), "build"]);
  if (built.status !== 0) return 2;
  writeFileSync(join(folder, "package.json"), `{ "private": true }\n`);
  const installed = run("npm", ["install", "--no-audit", "--no-fund", `vitest@${wanted}`], { cwd: folder });
  if (installed.status !== 0) return 2;
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules/vitest/package.json"), "utf8"));
  console.log(`playhead: the fixture with Vitest ${version} on Node ${process.versions.node} …`);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, PLAYHEAD_VITEST: folder };
  return run(process.execPath, [vitest, "run", "--reporter=verbose", ...TESTS], { env }).status ?? 1;
}

function run(command, args, options = {}) {
  const shell = command === "npm" && process.platform === "win32";
  return spawnSync(command, args, { cwd: root, stdio: "inherit", shell, ...options });
}
