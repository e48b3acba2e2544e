// What a user gets from the registry: the tarball itself, looked at by publint and by "Are the types wrong?", and each of its
// doors opened in an empty folder in which none of the optional peers is installed.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertBuilt, repositoryRoot } from "./support/built.js";
import { packPackage, unpackPackage } from "./support/packed.js";
import { temporaryFolder } from "./support/temporary-folder.js";

const manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
  exports: Record<string, unknown>;
  peerDependencies: Record<string, string>;
};
const doors = Object.keys(manifest.exports).filter((door) => !/\*|\.json$/.test(door));

/** The doors that load a package which is not installed by ours, and the package that has to be. */
const PEERS: Readonly<Record<string, string>> = {
  "./fast-check": "fast-check",
  "./langchain": "@langchain/core",
  "./msw": "msw",
  "./vitest": "vitest",
};

const folder = temporaryFolder();
let packed: ReturnType<typeof packPackage>;
beforeAll(() => {
  assertBuilt();
  packed = packPackage(folder.path(""));
  unpackPackage(packed.tarball, folder.path(""));
});
afterAll(() => folder.remove());

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { cwd: folder.path(""), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

it("holds the compiled files and nothing that is only ours", () => {
  const paths = packed.files.map((file) => file.path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "README.md",
      "LICENSE",
      "CHANGELOG.md",
      "dist/cli/bin.js",
      "dist/core/index.d.ts",
      "python/pytest_playhead.py",
    ]),
  );
  const isOurs =
    /^(dist\/.*\.(js|d\.ts)|dist\/THIRD-PARTY\.md|schemas\/[\w-]+\.schema\.json|python\/pytest_playhead\.py|action\.yml|docs\/[\w-]+\.md|docs\/pictures\/[\w-]+\.svg|docs\/api\/[\w/-]+\.md|llms\.txt|bench\/(README|results)\.md|[A-Z]+\.md|LICENSE|package\.json)$/;
  expect(paths.filter((path) => !isOurs.test(path))).toEqual([]);
  expect(brokenLinks(paths)).toEqual([]);
});

it("runs no script when it is installed", () => {
  const installed = JSON.parse(readFileSync(folder.path("node_modules/playhead/package.json"), "utf8")) as {
    scripts?: Record<string, string>;
  };
  const whenInstalled = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
  expect(Object.keys(installed.scripts ?? {}).filter((name) => whenInstalled.includes(name))).toEqual([]);
});

it("has nothing that publint would change", async () => {
  const file = readFileSync(packed.tarball);
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer;
  const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true });
  expect(pkg["name"]).toBe("playhead");
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

it("has types behind every door that are those of what it loads", { timeout: 120_000 }, () => {
  const attw = join(repositoryRoot, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const { status, stdout } = node(attw, packed.tarball, "--profile", "esm-only", "--format", "json");
  const { analysis, problems = {} } = JSON.parse(stdout) as {
    analysis: { entrypoints: Record<string, unknown> };
    problems?: Record<string, unknown>;
  };
  expect(Object.keys(analysis.entrypoints)).toEqual(expect.arrayContaining(doors));
  // What is left of them concerns `require` in a CommonJS file and Node before 12, which an ESM package has no answer for.
  expect(Object.keys(problems).filter((kind) => !["NoResolution", "CJSResolvesToESM"].includes(kind))).toEqual([]);
  expect(status).toBe(0);
});

describe("in a folder without its peers", () => {
  const errors = new Map<string, string | null>();
  beforeAll(() => {
    const script = `
      const errors = [];
      for (const door of ${JSON.stringify(doors)}) {
        const failure = await import(door.replace(".", "playhead")).then(() => null, String);
        errors.push([door, failure]);
      }
      console.log(JSON.stringify(errors));`;
    const { stdout } = node("--input-type=module", "-e", script);
    for (const [door, failure] of JSON.parse(stdout) as [string, string | null][]) errors.set(door, failure);
  });

  it.each(doors.filter((door) => PEERS[door] === undefined))("%s opens", (door) => {
    expect(errors.get(door)).toBeNull();
  });

  it.each(Object.entries(PEERS))("%s does not, and the error names %s", (door, peer) => {
    expect(errors.get(door)).toContain(`Cannot find package '${peer}' imported from`);
    expect(Object.keys(manifest.peerDependencies)).toContain(peer);
  });

  it("the doors open by require, too", () => {
    const open = doors.filter((door) => PEERS[door] === undefined).map((door) => door.replace(".", "playhead"));
    const { stderr, status } = node("-e", `for (const door of ${JSON.stringify(open)}) require(door)`);
    expect(stderr).not.toContain("Error");
    expect(status).toBe(0);
  });

  it("every schema can be imported", () => {
    const schemas = readdirSync(folder.path("node_modules/playhead/schemas"));
    expect(schemas).toEqual(readdirSync(join(repositoryRoot, "schemas")));
    const names = schemas.map((name) => `playhead/schemas/${name}`);
    const script = `
      for (const name of ${JSON.stringify(names)})
        console.log((await import(name, { with: { type: "json" } })).default.$schema);`;
    const { stdout } = node("--input-type=module", "-e", script);
    expect(stdout.trim().split("\n")).toEqual(schemas.map(() => "https://json-schema.org/draft/2020-12/schema"));
  });

  it.each(["cassette", "playhead"])("the command %s runs", (name) => {
    writeFileSync(folder.path("nothing.txt"), "nothing");
    const { status, stdout, stderr } = node(`node_modules/.bin/${name}`, "scan", "nothing.txt");
    expect(stderr).toBe("");
    expect(stdout).toBe("1 file scanned, 0 findings\n");
    expect(status).toBe(0);
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
