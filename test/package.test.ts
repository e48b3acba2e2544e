// What package.json promises: that every door of the package leads somewhere. The tarball is looked at by packed.test.ts.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CREATED_WITH } from "../src/cassette/file/build.js";
import { VERSION } from "../src/cli/version.js";
import { assertBuilt, compiledModule, repositoryRoot } from "./support/built.js";

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

  it("holds every module once, so that an error class is the same behind every door", () => {
    const made = JSON.parse(readFileSync(compiledModule("files.json"), "utf8")) as Record<string, string[]>;
    const modules = Object.values(made).flat();
    expect(modules).toContain("core/errors.js");
    expect(modules.filter((path, at) => modules.indexOf(path) !== at)).toEqual([]);
  });

  it("has no file that loads a public door, which may need a peer or teach a runner matchers", () => {
    const files = readdirSync(join(repositoryRoot, "dist"), { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".js"),
    );
    const doors = files.filter((path) => path.startsWith("entry"));
    const loading = files.filter((path) => {
      const text = readFileSync(join(repositoryRoot, "dist", path), "utf8");
      const loaded = [...text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map(([, specifier = ""]) =>
        join(dirname(path), specifier),
      );
      return loaded.some((target) => doors.includes(target));
    });
    expect(doors.length).toBeGreaterThan(10);
    expect(loading).toEqual([]);
  });

  it("opens every door under Node", () => {
    assertBuilt();
    const notOpened = ["./vitest", "./package.json", "./schemas/*"];
    const names = Object.keys(manifest.exports).filter((door) => !notOpened.includes(door));
    const script = names.map((door) => `await import(${JSON.stringify(door.replace(".", manifest.name))});`).join("\n");
    // MSW asks for localStorage, about which Node 26 warns.
    const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module"];
    const result = spawnSync(process.execPath, [...flags, "-e", script], {
      cwd: repositoryRoot,
      encoding: "utf8",
    });
    expect(result.stderr).toBe("");
    expect(result.status).toBe(0);
  });

  // Node takes about 2 ms to find and link a file, and as long to load 20 KB.
  const DOORS = JSON.parse(readFileSync(join(repositoryRoot, "bench/doors.json"), "utf8")) as Record<string, number[]>;
  it.each(Object.entries(DOORS).map(([door, [files = 0, kilobytes = 0]]) => [door, files, kilobytes] as const))(
    "opens at most %s in %i files with %i KB",
    (door, files, kilobytes) => {
      const opened = filesBehind(`entry/${door}.js`);
      const bytes = opened.reduce((sum, path) => sum + statSync(join(repositoryRoot, "dist", path)).size, 0);
      expect(opened.length).toBeLessThanOrEqual(files);
      expect(bytes / 1000).toBeLessThanOrEqual(kilobytes);
    },
  );

  it("constructs no pattern with Unicode properties when it is loaded, since one takes 2 ms", () => {
    const doors = [
      "playhead",
      ...["cassette", "session", "agent-runner", "env", "host", "harness"].map((d) => `playhead/${d}`),
    ];
    const script = String.raw`
      const compiled = [];
      const construct = (target, args) => (compiled.push(String(args[0])), new target(...args));
      globalThis.RegExp = new Proxy(RegExp, { construct });
      new RegExp("\\p{M}", "u");
      for (const door of ${JSON.stringify(doors)}) await import(door);
      console.log(JSON.stringify(compiled.filter((source) => source.includes("\\p{"))));`;
    const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: repositoryRoot, encoding: "utf8" });
    expect(stderr).toBe("");
    // The probe's own pattern.
    expect(JSON.parse(stdout)).toEqual(["\\p{M}"]);
  });

  it("opens no module of Node for the cassette layer of other platforms, whatever of it is used", () => {
    const texts = filesBehind("entry/cassette-portable.js", [], true).map((path) =>
      readFileSync(join(repositoryRoot, "dist", path), "utf8"),
    );
    const packages = texts.flatMap((text) => [...text.matchAll(/^(?:import|export)\s[^;]*?"([^."][^"]*)";$/gm)]);
    expect([...new Set(packages.map(([, name]) => name))]).toEqual(["#crypto"]);
    expect(texts.filter((text) => /import\("node:/.test(text))).toEqual([]);
  });

  it("names the packages inside its files, with their licences and versions", () => {
    const listed = readFileSync(join(repositoryRoot, "dist/THIRD-PARTY.md"), "utf8");
    const inlined = [...listed.matchAll(/^## (\S+) (\S+) \((\S+)\)$/gm)].map(
      ([, ...facts]) => `| ${facts.join(" | ")} |`,
    );
    const text = readFileSync(join(repositoryRoot, "docs/internal/dependencies.md"), "utf8");
    expect(inlined.length).toBeGreaterThan(3);
    expect(inlined.filter((row) => !text.includes(row) && !row.includes("yocto-queue"))).toEqual([]);
  });

  it("names each run-time dependency in docs/internal/dependencies.md with its version", () => {
    const text = readFileSync(join(repositoryRoot, "docs/internal/dependencies.md"), "utf8");
    const absent = Object.entries(manifest.dependencies).filter(
      ([name, version]) => !text.includes(`| ${name} | ${version} |`),
    );
    expect(absent).toEqual([]);
  });
});

/** A file of dist and every file that it imports, directly or not. `isLazy`: also later, by `import()`. */
function filesBehind(path: string, found: string[] = [], isLazy = false): string[] {
  if (found.includes(path)) return found;
  found.push(path);
  const text = readFileSync(join(repositoryRoot, "dist", path), "utf8");
  const later = isLazy ? [...text.matchAll(/import\("(\.[^"]+)"\)/g)] : [];
  for (const [, specifier = ""] of [...text.matchAll(/^(?:import|export)\s[^;]*?"(\.[^"]+)";$/gm), ...later]) {
    filesBehind(join(dirname(path), specifier), found, isLazy);
  }
  return found;
}
