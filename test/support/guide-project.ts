// The empty folder in which a guide is followed that begins with `npm init`. It lies outside the repository, so that nothing is
// found but what the guide installs; `playhead` is the package as it is packed. By default nothing comes from a network. With
// PLAYHEAD_TRIAL_TARBALL the real npm installs everything, `playhead` from that tarball (scripts/trial.mjs).

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repositoryRoot } from "./built.js";
import { packPackage, unpackPackage } from "./packed.js";
import type { Place } from "./snippets.js";

/** Makes the folder; `remove` takes it away again. */
export function guideProject(): Place & { remove(): void } {
  const root = mkdtempSync(join(tmpdir(), "guide-"));
  const [folder, bin, shelf] = ["my-agent", "bin", "shelf"].map((name) => join(root, name)) as [string, string, string];
  for (const each of [folder, bin, shelf]) mkdirSync(each);
  const PATH = [dirname(process.execPath), process.env["PATH"] ?? ""].join(":");
  const env: Record<string, string> = { GUIDE_PATH: PATH, PATH: `${bin}:${PATH}`, npm_config_loglevel: "error" };
  const command = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  command("npm", `exec "${process.execPath}" "${join(repositoryRoot, "test/support/npm-stand-in.mjs")}" "$@"`);

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
