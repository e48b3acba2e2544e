// `npm` for a guide that is followed. `install` brings the packed package where the guide says `playhead`: by the real npm from the
// tarball GUIDE_TARBALL, or, where GUIDE_SHELF names a folder with the package unpacked, without a network by copying that and
// linking everything else from GUIDE_MODULES. All other commands are the real npm's.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

const { GUIDE_TARBALL, GUIDE_SHELF, GUIDE_MODULES, GUIDE_PATH } = process.env;
const [command, ...words] = process.argv.slice(2);

if (command === "install" && GUIDE_SHELF !== undefined) {
  for (const word of words.filter((each) => !each.startsWith("-"))) link(word);
} else {
  const args = words.map((word) => (command === "install" && word === "playhead" ? GUIDE_TARBALL : word));
  // What an `npm test` around this says of its own folder is not for another one.
  const { npm_config_local_prefix: _prefix, ...rest } = process.env;
  const env = { ...rest, PATH: GUIDE_PATH, npm_config_loglevel: "error", npm_config_update_notifier: "false" };
  const { status } = spawnSync("npm", [command, ...args], { stdio: "inherit", env });
  process.exitCode = status ?? 1;
}

function link(word) {
  if (word === "playhead") return cpSync(GUIDE_SHELF, "node_modules", { recursive: true, verbatimSymlinks: true });
  const name = word.replace(/(?<=.)@[^@]*$/, "");
  const from = join(GUIDE_MODULES, name);
  const { bin = {} } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  mkdirSync("node_modules/.bin", { recursive: true });
  mkdirSync(resolve("node_modules", name, ".."), { recursive: true });
  symlinkSync(from, join("node_modules", name));
  const commands = typeof bin === "string" ? { [name]: bin } : bin;
  for (const [each, file] of Object.entries(commands)) symlinkSync(join(from, file), `node_modules/.bin/${each}`);
}
