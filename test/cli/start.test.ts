// What a command loads, counted in modules and not in milliseconds: `--version` nothing but itself, any other command its own
// declaration, and what it does only when it is run. V8's coverage lists every script of a process.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { runOf } from "../cassette/diff/runs.js";
import { assertBuilt, cassetteBin, compiledModule, modulesIn, repositoryRoot } from "../support/built.js";
import { place } from "./run.js";

beforeAll(assertBuilt);

/** The files that a process of Node loads. */
function filesOf(...args: string[]): string[] {
  const coverage = mkdtempSync(join(tmpdir(), "playhead-loaded-"));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: coverage };
    const { stderr, error } = spawnSync(process.execPath, args, { encoding: "utf8", env, cwd: repositoryRoot });
    if (error !== undefined) throw error;
    const reports = readdirSync(coverage).map((name) => readFileSync(join(coverage, name), "utf8"));
    if (reports.length === 0) throw new Error(`nothing was reported: ${stderr}`);
    const urls = reports.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
    return [...new Set(urls.filter(({ url }) => url.startsWith("file:")).map(({ url }) => fileURLToPath(url)))];
  } finally {
    rmSync(coverage, { recursive: true, force: true });
  }
}

/** Paths of the modules that our files in `dist` were made of, and the names of packages. */
function loadedBy(...args: string[]): string[] {
  return [...new Set(filesOf(...args).flatMap(namesOf))].sort();
}

function namesOf(file: string): string[] {
  const path = file.replaceAll("\\", "/");
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path);
  return inPackage?.[1] === undefined ? modulesIn(path) : [inPackage[1]];
}

const loadedByCommand = (...args: string[]): string[] => loadedBy(cassetteBin, ...args);
const ofLayer = (files: readonly string[], layer: string): string[] =>
  files.filter((file) => file.startsWith(`${layer}/`));

/** The files of one command: all of `cli` but what every command shares. */
const ofCommands = (files: readonly string[]): string[] =>
  ofLayer(files, "cli").filter((file) => file.split("/").length > 2 && !/^cli\/(terminal|options)\//.test(file));

describe("what is loaded", () => {
  it.each(["--version", "-V"])("for %s is the version alone", (flag) => {
    expect(loadedByCommand(flag)).toEqual(["cli/bin.js", "cli/exit-codes.js", "cli/version.js"]);
  });

  it("for the help of a command is its declaration alone", () => {
    const loaded = loadedByCommand("drift", "--help");
    expect(loaded.filter((file) => file.startsWith("cli/commands/"))).toEqual(["cli/commands/drift.js"]);
    expect(ofCommands(loaded)).toEqual(["cli/commands/drift.js"]);
    expect(loaded.filter((file) => !file.startsWith("cli/"))).toEqual(["commander"]);
  });

  it("for the help of all is every declaration and nothing that they do", () => {
    const loaded = loadedByCommand("--help");
    const declared = readdirSync(join(repositoryRoot, "src/cli/commands")).map((file) => file.replace(/\.ts$/, ".js"));
    expect(ofLayer(loaded, "cli/commands").map((file) => file.split("/").at(-1))).toEqual(declared.sort());
    expect(loaded.filter((file) => !file.startsWith("cli/"))).toEqual(["commander"]);
  });

  // Files, KB, and modules of the harness. Commands share files, so each loads what the others need of the harness.
  it.each([
    ["verify", 20, 550, 3, (file: string) => [file]],
    ["stats", 20, 550, 0, (file: string) => [file]],
    ["scan", 17, 550, 0, (file: string) => [file]],
    ["show", 20, 550, 14, (file: string) => [file]],
    ["diff", 25, 880, 33, (file: string) => [file, file]],
  ])("for %s is only its own folder, in at most %i files with %i KB", (command, files, kilobytes, ofHarness, paths) => {
    const file = place("one.cassette.json", runOf([{ say: "a" }]));
    const loaded = loadedByCommand(command, ...paths(file));
    const folders = ofCommands(loaded).flatMap((path) => /^cli\/(?!commands\/)([^/]+)\//.exec(path)?.[1] ?? []);
    expect([...new Set(folders)].filter((name) => command !== "stats" || name !== "facts")).toEqual([command]);
    expect(ofLayer(loaded, "cli/commands")).toEqual([`cli/commands/${command}.js`]);
    expect(ofLayer(loaded, "harness").length).toBeLessThanOrEqual(ofHarness);
    const own = filesOf(cassetteBin, command, ...paths(file)).filter((path) => !path.includes("node_modules"));
    expect(own.length).toBeLessThanOrEqual(files);
    expect(own.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThanOrEqual(kilobytes * 1000);
  });

  it.each(["stats", "scan"])("for %s has no module of the harness, before modules share files", (command) => {
    const file = place("one.cassette.json", runOf([{ say: "a" }]));
    const loaded = filesOf(compiledModule("cli/bin.js"), command, file).map((path) => path.replaceAll("\\", "/"));
    expect(loaded.filter((path) => path.includes("/modules/cassette/"))).not.toEqual([]);
    expect(loaded.filter((path) => path.includes("/modules/harness/"))).toEqual([]);
  });

  it("for record without --job is nothing of stores", () => {
    const into = place("runs", runOf([{ say: "a" }])) + "-into";
    const loaded = loadedByCommand("record", "--runs", "1", "--into", into, "--", "false");
    expect(loaded).toContain("cli/runs/record-runs.js");
    const isOfStore = (file: string): boolean => /^host\/(sql|sqlite|fleet|postgres)\/|^cli\/job\//.test(file);
    expect(loaded.filter(isOfStore)).toEqual([]);
  });

  const SECOND = ["json-canonicalize", "@noble/hashes", "@noble/ed25519", "cli/verify/second-opinion.js"];

  it("for verify --independent is the second implementation too, which nothing else loads", () => {
    const file = place("one.cassette.json", runOf([{ say: "a" }]));
    const loadsOf = (names: string[]) => SECOND.filter((name) => names.includes(name));
    expect(loadsOf(loadedByCommand("verify", file))).toEqual([]);
    expect(loadsOf(loadedBy("dist/entry/playhead.js"))).toEqual([]);
    expect(loadsOf(loadedBy("dist/entry/cassette.js"))).toEqual([]);
    expect(loadsOf(loadedByCommand("verify", file, "--independent"))).toEqual(SECOND);
  });
});
