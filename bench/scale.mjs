// Wall time and peak memory of whole processes on very many cassettes, on one with very many entries, and on one of
// the maximum size. Also how much the time grows for ten times as much. The memory is the peak that the system reports
// for a process (its resident set).

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scriptedProvider } from "../.playhead/modules/core/index.js";
import { DEFAULT_MAX_FILE_BYTES, formatCassette, recordingProvider } from "../.playhead/modules/cassette/index.js";
import { summarise } from "./measure.mjs";
import { closeScratch, openScratch, pause } from "./scratch.mjs";
import { sampleProcess } from "./whole-process.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const bin = join(root, "dist/cli/bin.js");
const worker = fileURLToPath(new URL("entries-worker.mjs", import.meta.url));
const LOAD = 'import{loadCassette}from"playhead/cassette";await loadCassette(process.argv[1])';

/** `files` cassettes of one turn in each of two folders, `entries` in one cassette, `bytes` of one that is loaded alone. */
export async function* scale({ files = 10_000, entries = 100_000, rounds = 3, bytes = DEFAULT_MAX_FILE_BYTES } = {}) {
  yield* scaleFolders(files, bytes, rounds);
  yield* scaleEntries(entries, rounds);
}

async function* scaleFolders(files, bytes, rounds) {
  const folder = openScratch("scale");
  const tenth = Math.max(1, Math.round(files / 10));
  try {
    for (const count of [tenth, files]) {
      for (const side of ["old", "now"]) await fill(join(folder, String(count), side), count);
    }
    const large = join(folder, "large.cassette.json");
    writeFileSync(large, await cassetteOf(largest(bytes)));
    const loading = {
      name: `load one of ${(bytes / 2 ** 20).toFixed(0)} MiB`,
      args: ["--input-type=module", "-e", LOAD, large],
    };
    const few = commandsOn(join(folder, String(tenth)));
    const many = [...commandsOn(join(folder, String(files))), loading];
    const samples = await sampleInTurn([...few, ...many], rounds);
    const manyRows = samples.slice(few.length);
    const rows = (field) =>
      manyRows.map(({ name, list }) => ({ name, ...summarise(list.map((sample) => sample[field])) }));
    yield { key: "seconds", title: `scale: ${files} files of one turn`, unit: "s", rows: rows("seconds") };
    yield { key: "peak", title: `scale: peak memory with ${files} files`, unit: "MiB", rows: rows("peakMiB") };
    const growth = few.map(({ name }, at) => {
      const ratios = samples[at].list.map(({ seconds }, round) => manyRows[at].list[round].seconds / seconds);
      return { name, ...summarise(ratios) };
    });
    yield {
      key: "growth",
      title: `scale: ${files} files ÷ ${tenth} files, 10 is linear`,
      unit: "×",
      rows: growth,
    };
  } finally {
    closeScratch(folder);
  }
}

function commandsOn(folder) {
  const [old, now] = [join(folder, "old"), join(folder, "now")];
  const commands = {
    "cassette verify, all cores": ["verify", old],
    "cassette verify, one core": ["verify", old, "--jobs", "1"],
    "cassette diff, two folders, all cores": ["diff", old, now],
    "cassette diff, two folders, one core": ["diff", old, now, "--jobs", "1"],
    "cassette drift": ["drift", old, now, "--force", "--fail-on", "none"],
    "cassette stats": ["stats", old],
    "cassette scan": ["scan", old],
    "cassette lock": ["lock", old, "--file", join(folder, "cassettes.lock"), "--update"],
    "cassette prune": ["prune", old],
    "cassette doctor": ["doctor", old],
  };
  return Object.entries(commands).map(([name, args]) => ({ name, args: [bin, ...args] }));
}

async function sampleInTurn(contestants, rounds) {
  const samples = contestants.map(({ name }) => ({ name, list: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, { name, args }] of contestants.entries()) {
      await pause();
      samples[index].list.push(runOnce(name, args));
    }
  }
  return samples;
}

function* scaleEntries(entries, rounds) {
  const sizes = [entries / 10, entries];
  const samples = sizes.map(() => []);
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    for (const [at, size] of sizes.entries()) samples[at].push(recordMany(size));
  }
  const [few, many] = samples;
  const steps = Object.keys(many[0].seconds);
  const rows = (of) =>
    steps.map((name) => ({ name, ...summarise(many.map((sample, round) => of(sample, few[round], name))) }));
  const megabytes = many[0].megabytes.toPrecision(3);
  const title = `scale: a cassette of ${entries} entries, ${megabytes} MB`;
  yield { key: "entries", title, unit: "s", rows: rows((sample, _, name) => sample.seconds[name]) };
  const growth = rows((sample, before, name) => sample.seconds[name] / before.seconds[name]);
  yield {
    key: "entries growth",
    title: `scale: ${entries} entries ÷ ${entries / 10}, 10 is linear`,
    unit: "×",
    rows: growth,
  };
  const peak = [{ name: "all of these steps", ...summarise(many.map(({ peakMiB }) => peakMiB)) }];
  yield { key: "entries peak", title: `scale: peak memory with ${entries} entries`, unit: "MiB", rows: peak };
}

function recordMany(entries) {
  const args = ["--max-old-space-size=4096", worker, String(entries)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${entries} entries exited with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

function runOnce(name, args) {
  return sampleProcess(name, args, { cwd: root });
}

async function fill(folder, files) {
  for (let index = 0; index < files; index++) {
    const inner = join(folder, String(index % 100));
    if (index < 100) mkdirSync(inner, { recursive: true });
    if (index % 100 === 0) await pause();
    writeFileSync(join(inner, `${index}.cassette.json`), await cassetteOf(`answer ${index}`));
  }
}

async function cassetteOf(text) {
  const answer = { message: { role: "assistant", content: text }, stopReason: "stop" };
  const recorder = recordingProvider(scriptedProvider([answer]));
  await recorder.turn({ messages: [{ role: "user", content: "Go." }] });
  return formatCassette(recorder.toCassette());
}

/** A text that leaves room for the rest of its cassette. */
function largest(bytes) {
  return "word ".repeat(Math.floor((bytes - 4096) / 5));
}
