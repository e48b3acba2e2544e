// `npm` for following a guide. Where the guide says `playhead`, `install` uses the packed package. The real npm
// installs it from the tarball GUIDE_TARBALL. If GUIDE_SHELF names a folder with the unpacked package, that is copied
// without a network, and everything else is linked from GUIDE_MODULES. The real npm runs all other commands.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

const { GUIDE_TARBALL, GUIDE_SHELF, GUIDE_MODULES, GUIDE_PATH } = process.env;
const [command, ...words] = process.argv.slice(2);

if (command === "install" && GUIDE_SHELF !== undefined) {
  for (const word of words.filter((each) => !each.startsWith("-"))) link(word);
} else {
  const args = words.map((word) => (command === "install" && word === "playhead" ? GUIDE_TARBALL : word));
  // The variables of an `npm test` around this process belong to its own folder, not to this one.
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
