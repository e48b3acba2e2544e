// What a user installs: the files of the tarball, and that every door of the package leads somewhere.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { CREATED_WITH } from "../src/cassette/build.js";
import { VERSION } from "../src/cli/version.js";
import { assertBuilt, repositoryRoot } from "./support/built.js";

interface Manifest {
  name: string;
  version: string;
  bin: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
  dependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as Manifest;

describe("the package", () => {
  it("carries its version where it says it", () => {
    expect(VERSION).toBe(manifest.version);
    expect(CREATED_WITH).toBe(`playhead/${manifest.version}`);
  });

  it("has a file, and types, behind every door", () => {
    assertBuilt();
    const doors = Object.values(manifest.exports).flatMap((door) =>
      typeof door === "string" ? [door] : Object.values(door),
    );
    const missing = [...doors, ...Object.values(manifest.bin)].filter(
      (path) => !existsSync(join(repositoryRoot, path.replace(/\*$/, ""))),
    );
    expect(missing).toEqual([]);
  });

  it("opens every door under Node", () => {
    assertBuilt();
    const notOpened = ["./vitest", "./package.json", "./schemas/*"];
    const names = Object.keys(manifest.exports).filter((door) => !notOpened.includes(door));
    const script = names.map((door) => `await import(${JSON.stringify(door.replace(".", manifest.name))});`).join("\n");
    const result = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: repositoryRoot,
      encoding: "utf8",
    });
    expect(result.stderr).toBe("");
    expect(result.status).toBe(0);
  });

  it("packs the compiled files and nothing that is only ours", () => {
    assertBuilt();
    const npm = process.env["npm_execpath"];
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const command = npm === undefined ? ["npm", args] : [process.execPath, [npm, ...args]];
    const result = spawnSync(command[0] as string, command[1] as string[], { cwd: repositoryRoot, encoding: "utf8" });
    const report = JSON.parse(result.stdout) as
      { files: { path: string; mode: number }[] }[] | Record<string, { files: { path: string; mode: number }[] }>;
    const { files } = Object.values(report)[0] as { files: { path: string; mode: number }[] };
    const paths = files.map((file) => file.path);
    expect(paths).toEqual(
      expect.arrayContaining(["README.md", "LICENSE", "CHANGELOG.md", "dist/cli/bin.js", "dist/core/index.d.ts"]),
    );
    const isOurs =
      /^(dist\/.*\.(js|d\.ts)|schemas\/[\w-]+\.schema\.json|action\.yml|docs\/[\w-]+\.md|docs\/api\/[\w/-]+\.md|llms\.txt|bench\/README\.md|[A-Z]+\.md|LICENSE|package\.json)$/;
    expect(paths.filter((path) => !isOurs.test(path))).toEqual([]);
    expect(brokenLinks(paths)).toEqual([]);
  });

  it("names each run-time dependency in docs/dependencies.md with its version", () => {
    const text = readFileSync(join(repositoryRoot, "docs/dependencies.md"), "utf8");
    const absent = Object.entries(manifest.dependencies).filter(
      ([name, version]) => !text.includes(`| ${name} | ${version} |`),
    );
    expect(absent).toEqual([]);
  });
});

/** Links between the packed documents that lead to no packed file. */
function brokenLinks(paths: readonly string[]): string[] {
  const documents = paths.filter((path) => path.endsWith(".md"));
  return documents.flatMap((document) => {
    const text = readFileSync(join(repositoryRoot, document), "utf8");
    const targets = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map((match) => match[1] as string);
    return targets
      .filter((target) => !paths.includes(posix.join(posix.dirname(document), target)))
      .map((target) => `${document}: ${target}`);
  });
}
