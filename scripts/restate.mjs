// node scripts/restate.mjs: installs the Restate server that the tests of examples/durable/restate.mjs start, if it is missing.
// It is a program of 220 MB under its own licence (BUSL 1.1), so it is no dependency of the package.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const VERSION = "1.7.12";
const folder = fileURLToPath(new URL("../.playhead/restate/", import.meta.url));
const server = `@restatedev/restate-server-${process.platform}-${process.arch}`;

if (!existsSync(`${folder}node_modules/${server}`)) {
  mkdirSync(folder, { recursive: true });
  const args = ["install", "--prefix", folder, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", [...args, `${server}@${VERSION}`], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
