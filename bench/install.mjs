// The size of `npm install playhead`: the packed tarball, and the installed folder with all dependencies. Needs the registry.

import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { summarise } from "./measure.mjs";
import { closeScratch, endWith, openScratch } from "./scratch.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

export async function* install() {
  const folder = openScratch("install");
  try {
    const tarball = join(folder, pack(folder));
    const rows = [{ name: "tarball", ...summarise([statSync(tarball).size / 1e6]) }];
    const title = "install size";
    const sizes = installIn(folder, tarball);
    if (sizes.failed !== undefined)
      rows.push({ name: "installed with its dependencies", failed: sizes.failed, isOptional: true });
    else {
      rows.push({ name: "playhead alone, unpacked", ...summarise([sizes.own / 1e6]) });
      rows.push({ name: "installed with its dependencies", ...summarise([sizes.bytes / 1e6]) });
    }
    yield { key: "size", title, unit: "MB", rows };
    if (sizes.failed !== undefined) return;
    const counts = [
      { name: "packages, playhead among them", ...summarise([sizes.packages]) },
      { name: "files", ...summarise([sizes.files]) },
    ];
    yield { key: "count", title: "packages and files installed", unit: "number", rows: counts };
  } finally {
    closeScratch(folder);
  }
}

function pack(folder) {
  const { status, stdout, stderr, error } = npm(
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    root,
  );
  if (status !== 0) throw new Error(`npm pack failed: ${error?.message ?? stderr.trim()}`);
  const report = JSON.parse(stdout);
  return Object.values(report)[0].filename;
}

function installIn(folder, tarball) {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const { status, stderr, error } = npm(
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", tarball],
    folder,
  );
  if (status !== 0)
    return { failed: `npm install failed, is the registry reachable? ${error?.message ?? stderr.trim()}` };
  return sizeOf(join(folder, "node_modules"));
}

function sizeOf(modules) {
  const counted = { bytes: 0, own: 0, files: 0, packages: 0 };
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory() && isPackage(entry)) counted.packages++;
    if (!entry.isFile()) continue;
    const { size } = lstatSync(path);
    counted.files++;
    counted.bytes += size;
    if (path.startsWith(join(modules, "playhead/"))) counted.own += size;
  }
  return counted;
}

/** A folder directly below node_modules, or below a scope there. */
function isPackage({ name, parentPath }) {
  return !name.startsWith(".") && !name.startsWith("@") && /[/\\]node_modules([/\\]@[^/\\]+)?$/.test(parentPath);
}

/** The npm that started this process, or the npm on the path. */
export function npm(args, cwd) {
  const own = process.env.npm_execpath;
  const options = { cwd, encoding: "utf8", maxBuffer: 2 ** 28 };
  const result =
    own === undefined
      ? spawnSync("npm", args, { ...options, shell: process.platform === "win32" })
      : spawnSync(process.execPath, [own, ...args], options);
  endWith(result);
  return result;
}
