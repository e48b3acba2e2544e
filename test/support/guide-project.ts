// The empty folder for following a guide that begins with `npm init`. It is outside the repository, so that only
// packages which the guide installs are found. `playhead` is the packed package. By default nothing comes from a
// network. With PLAYHEAD_TRIAL_TARBALL the real npm installs everything, and `playhead` from that tarball
// (scripts/trial.mjs).

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repositoryRoot } from "./built.js";
import { packPackage, unpackPackage } from "./packed.js";
import { python } from "./python.js";
import type { Place } from "./snippets.js";

/** Makes the folder. `remove` deletes it. */
export function guideProject(): Place & { remove(): void } {
  const root = mkdtempSync(join(tmpdir(), "guide-"));
  const [folder, bin, shelf] = ["my-agent", "bin", "shelf"].map((name) => join(root, name)) as [string, string, string];
  for (const each of [folder, bin, shelf]) mkdirSync(each);
  const PATH = [dirname(process.execPath), process.env["PATH"] ?? ""].join(":");
  const env: Record<string, string> = { GUIDE_PATH: PATH, PATH: `${bin}:${PATH}`, npm_config_loglevel: "error" };
  const command = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  command("npm", `exec "${process.execPath}" "${join(repositoryRoot, "test/support/npm-stand-in.mjs")}" "$@"`);

  if (python !== undefined) command("python3", `exec "${python}" "$@"`);

  const tarball = process.env["PLAYHEAD_TRIAL_TARBALL"];
  if (tarball !== undefined) env["GUIDE_TARBALL"] = tarball;
  else {
    unpackPackage(packPackage(root).tarball, shelf);
    env["GUIDE_SHELF"] = join(shelf, "node_modules");
    env["GUIDE_MODULES"] = join(repositoryRoot, "node_modules");
    command("npx", `name="$1"; shift; exec "node_modules/.bin/$name" "$@"`);
  }
  return { folder, npmFolder: folder, env, remove: () => rmSync(root, { recursive: true, force: true }) };
}
