// A suite of three tests for `cassette record --runs`: a script that records three cassettes with a provider that costs nothing.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { compiledModule } from "../../support/built.js";

const harness = pathToFileURL(compiledModule("entry/harness.js")).href;
const core = pathToFileURL(compiledModule("entry/playhead.js")).href;

/** Arguments: `--shard=i/n` for some of the tests; `--fail=NAME` ends with 1 after that test; `--unpriced` names no model. */
const SUITE = `
import { writeFileSync } from "node:fs";
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
`;

/** Writes the suite into a new folder, and returns the command that runs it there. */
export function writeSuite(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "suite.mjs"), SUITE);
  return [process.execPath, "suite.mjs"];
}

/** The recordings below a folder by their paths, without their times. */
export function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const recordings = names.filter((name) => name.endsWith(".cassette.json")).sort();
  return Object.fromEntries(recordings.map((name) => [name, withoutTimes(readFileSync(join(folder, name), "utf8"))]));
}

/** Without the times, the id, and the hashes that cover them. */
function withoutTimes(text: string): string {
  const { entries, extensions } = JSON.parse(text) as Pick<CassetteV2, "entries" | "extensions">;
  return JSON.stringify({
    entries: entries.map(({ responseHash: _hash, ...entry }) => entry),
    contexts: extensions?.["contexts"],
  });
}
