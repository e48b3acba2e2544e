// A suite of three tests for `cassette record --runs`: a script that records three cassettes with a provider that costs nothing.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { buildCassette } from "../../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { compiledModule } from "../../support/built.js";

const harness = pathToFileURL(compiledModule("entry/harness.js")).href;
const core = pathToFileURL(compiledModule("entry/playhead.js")).href;

/**
 * Arguments: `--shard=i/n` for some of the tests; `--fail=NAME` ends with 1 after that test; `--unpriced` names no model; `--wait=N` waits in
 * run N for ever, and `--until=FILE` in every run until the file exists, unless GO_ON is 1.
 */
const SUITE = `
import { existsSync } from "node:fs";
import { useCassette } from ${JSON.stringify(harness)};
import { scriptedProvider } from ${JSON.stringify(core)};
const options = Object.fromEntries(process.argv.slice(2).map((word) => word.slice(2).split("=")));
const [shard, shards] = (options.shard ?? "1/1").split("/").map(Number);
for (const [index, name] of ["flights", "hotels", "nested/weather"].entries()) {
  if (index % shards !== shard - 1) continue;
  const answer = { message: { role: "assistant", content: name }, finalAnswer: name, stopReason: "stop", model: "gpt-4o", usage: { inputTokens: 100_000, outputTokens: 0 } };
  if ("unpriced" in options) answer.model = "house-model";
  const handle = await useCassette(name + ".cassette.json", () => scriptedProvider([answer]));
  await handle.provider.turn({ messages: [{ role: "user", content: "about " + name }] });
  await handle.done();
  if (options.fail === name) process.exitCode = 1;
}
if (options.wait !== undefined && options.wait === process.env.CASSETTE_RUN && process.env.GO_ON !== "1") {
  console.log("waiting");
  setInterval(() => {}, 1_000);
}
if (options.until !== undefined && process.env.GO_ON !== "1") {
  console.log("waiting");
  const timer = setInterval(() => existsSync(options.until) && clearInterval(timer), 20);
}
`;

/** Writes the suite into a new folder, and returns the command that runs it there. */
export function writeSuite(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "suite.mjs"), SUITE);
  return [process.execPath, "suite.mjs"];
}

/** The text of every recording below a folder, by its path. Ids and dates are normalised, and with them the hashes that cover them. */
export function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const recordings = names.filter((name) => name.endsWith(".cassette.json")).sort();
  return Object.fromEntries(recordings.map((name) => [name, normalise(readFileSync(join(folder, name), "utf8"))]));
}

function normalise(text: string): string {
  const { version: _version, signature: _signature, entries, ...head } = JSON.parse(text) as CassetteV2;
  // Nothing but the values may differ, so that equal values mean equal bytes.
  expect(formatCassette(JSON.parse(text) as CassetteV2)).toBe(text);
  const same = { ...head, cassetteId: "0".repeat(32), recordedAt: new Date(0).toISOString() };
  return formatCassette(buildCassette(same, entries));
}

/**
 * A module that kills its process with SIGKILL before the change of a file that KILL_BEFORE names. Between two changes, every moment
 * leaves the same files.
 */
function writeKiller(cwd: string): string {
  const path = join(cwd, "killer.mjs");
  writeFileSync(path, KILLER);
  return pathToFileURL(path).href;
}

const KILLER = `import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
let left = Number(process.env.KILL_BEFORE);
const countIn = (object, names, changes = () => true) => {
  for (const name of names) {
    const real = object[name].bind(object);
    object[name] = (...args) => {
      if (changes(...args) && --left === 0) process.kill(process.pid, "SIGKILL");
      return real(...args);
    };
  }
  return object;
};
countIn(fs, ["appendFile", "mkdir", "rename", "rm", "unlink", "link"]);
countIn(fs, ["open"], (_path, flags = "r") => typeof flags === "string" && flags !== "r");
const open = fs.open;
fs.open = async (...args) => countIn(await open(...args), ["writeFile"]);
syncBuiltinESMExports();
`;

/**
 * Runs `cassette` again and again, killed before its first, second, third … change of a file, until it ends by itself. Calls `check`
 * after each kill with the number of the operation, and returns the number of kills.
 */
export async function killAtEach(
  cwd: string,
  argvOf: (operation: number) => readonly string[],
  check: (operation: number) => Promise<void>,
): Promise<number> {
  const killer = writeKiller(cwd);
  for (let operation = 1; ; operation++) {
    const { signal, status } = spawnSync(
      process.execPath,
      ["--import", killer, compiledModule("cli/bin.js"), ...argvOf(operation)],
      { cwd, env: { PATH: process.env["PATH"], KILL_BEFORE: String(operation) } },
    );
    if (signal === null) {
      expect(status).toBe(0);
      return operation - 1;
    }
    await check(operation);
  }
}

/** What only an interruption leaves behind, but temporary files, which a later write removes when they are old. */
export function leftIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /^\.run-|\.claim$|\.lock$/.test(name));
}
