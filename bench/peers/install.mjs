// Installs a peer into .playhead/bench-peers/<folder>, never into our own dependencies. Its pinned versions are in a
// package.json of its own. It is installed without scripts, and again only when the versions change. The file that
// drives it goes next to them, so that its imports find them.

import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "../install.mjs";

const home = fileURLToPath(new URL("../../.playhead/bench-peers/", import.meta.url));
const SHARED = ["script.mjs", "exchange.mjs"];
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/;
/** Set once the registry could not be reached, because npm tries for more than a minute and there are a dozen peers. */
let unreachable;

/** The path of the file that drives the peer and the Node that it needs, or the reason why it is not there. */
export function installPeer({ folder, main, dependencies, overrides, contestant }) {
  const path = join(home, folder);
  mkdirSync(path, { recursive: true });
  const manifest = JSON.stringify({ private: true, type: "module", dependencies, overrides }, null, 2);
  const stamp = join(path, ".installed");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== manifest) {
    rmSync(stamp, { force: true });
    writeFileSync(join(path, "package.json"), manifest);
    if (unreachable !== undefined) return { failed: unreachable };
    console.error(`bench: installing ${Object.keys(dependencies).join(", ")} …`);
    const failed = install(path) ?? findWrongVersion(path, dependencies);
    if (failed !== undefined) return { failed };
    writeFileSync(stamp, manifest);
  }
  for (const file of SHARED) copyFileSync(new URL(file, import.meta.url), join(path, file));
  copyFileSync(new URL(`contestants/${contestant}`, import.meta.url), join(path, contestant));
  const { engines } = manifestOf(path, main);
  return {
    file: join(path, contestant),
    ...(engines?.node === undefined
      ? {}
      : { note: `it asks for Node ${engines.node}, this is ${process.versions.node}` }),
  };
}

function install(path) {
  const { status, stderr, error } = npm(
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    path,
  );
  if (status === 0) return undefined;
  const text = error?.message ?? stderr.trim();
  const code = UNREACHABLE.exec(text)?.[0];
  if (code === undefined) return `npm install failed: ${text}`;
  unreachable = `the package registry could not be reached (${code}); peers are fetched from it the first time, so try again online`;
  return unreachable;
}

/** If a package is missing here, Node would find another version of it in the folders above. */
function findWrongVersion(path, dependencies) {
  for (const [name, version] of Object.entries(dependencies)) {
    const found = manifestOf(path, name).version ?? "none";
    if (found !== version) return `${name} ${version} was asked for and ${found} is installed`;
  }
  return undefined;
}

function manifestOf(path, name) {
  const file = join(path, "node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}
