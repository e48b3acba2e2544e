// The published package: packed by npm, and unpacked into a folder like an install. Its runtime dependencies are
// linked, so that no network is needed, and its optional peers are absent.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "./built.js";

export interface PackedFile {
  path: string;
  mode: number;
}

/** Packs dist unchanged into `folder`, without running a script. */
export function packPackage(folder: string): { tarball: string; files: PackedFile[] } {
  const npm = process.env["npm_execpath"];
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [command, ...first] = npm === undefined ? ["npm"] : [process.execPath, npm];
  const { stdout, stderr } = spawnSync(command ?? "npm", [...first, ...args], {
    cwd: repositoryRoot,
    encoding: "utf8",
  });
  type Packed = { filename: string; files: PackedFile[] };
  const [packed] = Object.values(JSON.parse(stdout) as Packed[] | Record<string, Packed>);
  if (packed === undefined) throw new Error(`npm pack packed nothing\n${stderr}`);
  return { tarball: join(folder, packed.filename), files: packed.files };
}

/** Unpacks a tarball into `folder/node_modules/playhead` and links its dependencies and its commands. */
export function unpackPackage(tarball: string, folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  const { status, stderr } = spawnSync("tar", ["-xzf", tarball, "-C", modules], { encoding: "utf8" });
  if (status !== 0) throw new Error(`tar could not unpack ${tarball}\n${stderr}`);
  renameSync(join(modules, "package"), join(modules, "playhead"));
  const manifest = JSON.parse(readFileSync(join(modules, "playhead/package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(repositoryRoot, "node_modules", name), join(modules, name));
  }
  // Like npm during an install.
  chmodSync(join(modules, "playhead/dist/cli/bin.js"), 0o755);
  for (const name of ["cassette", "playhead"]) symlinkSync("../playhead/dist/cli/bin.js", join(modules, ".bin", name));
}
