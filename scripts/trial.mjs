// npm run trial: follows the guides as a newcomer would, on the Node that runs this. It packs the tarball, and test/guides.test.ts
// then runs every block in an empty folder, with a real `npm install` (needs a network). Another Node:
//   npx -y -p node@26 -- node scripts/trial.mjs

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "playhead-trial-"));
process.exitCode = trial();
rmSync(folder, { recursive: true, force: true });

function trial() {
  const built = run(process.execPath, [join(root, "scripts/bootstrap.mjs"), "build"]);
  if (built.status !== 0) return 2;
  const packed = run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], "pipe");
  if (packed.status !== 0) return 2;
  const [{ filename }] = Object.values(JSON.parse(packed.stdout));
  console.log(`playhead: following the guides with ${filename} on Node ${process.versions.node} …`);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, PLAYHEAD_TRIAL_TARBALL: join(folder, filename) };
  return (
    run(process.execPath, [vitest, "run", "--reporter=verbose", "test/guides.test.ts"], "inherit", env).status ?? 1
  );
}

function run(command, args, stdout = "inherit", env = process.env) {
  const shell = command === "npm" && process.platform === "win32";
  return spawnSync(command, args, { cwd: root, stdio: ["inherit", stdout, "inherit"], encoding: "utf8", env, shell });
}
