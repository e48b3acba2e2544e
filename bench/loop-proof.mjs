// How reliable `cassette bench` is: node bench/loop-proof.mjs [--tries 20] [--runs 20] [--turns 150] [--micros 100]. Each try
// compares our loop with itself, and our loop slowed by some microseconds a turn with our loop. Also compares the figure of
// `benchLoop` with that of the turn loop in this folder, sampled in turn in one process.

import { execFile } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { saveCassette } from "playhead/cassette";
import { benchLoop } from "playhead/harness";
import { measure, summarise } from "./measure.mjs";
import { closeScratch, openScratch } from "./scratch.mjs";
import { contestants, runPlayhead, runRecording } from "./turn-loop-ways.mjs";

const options = { tries: "20", runs: "20", turns: "150", micros: "100" };
const { values } = parseArgs({
  options: Object.fromEntries(Object.entries(options).map(([name, text]) => [name, { type: "string", default: text }])),
});
const [tries, runs, turns, micros] = Object.keys(options).map((name) => Number(values[name]));

const bin = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));
const agent = fileURLToPath(new URL("loop-agent.mjs", import.meta.url));
const run = promisify(execFile);

/** The comparison that `cassette bench --json` prints. */
async function compare(cassette, extra) {
  const command = (more) => [process.execPath, agent, String(turns), String(more)];
  const against = command(0)
    .map((word) => JSON.stringify(word))
    .join(" ");
  const args = [bin, "bench", cassette, "--json", "--cpu", "--runs", String(runs), "--against", against, "--"];
  const { stdout } = await run(process.execPath, [...args, ...command(extra)]).catch((error) => error);
  return JSON.parse(stdout).lengths[0];
}

async function prove(cassette) {
  const found = { slowed: [], equal: [] };
  for (let at = 0; at < tries; at++) {
    found.equal.push(await compare(cassette, 0));
    found.slowed.push(await compare(cassette, micros));
    const shown = [found.equal.at(-1), found.slowed.at(-1)].map(({ shift, reference }) => {
      const [difference, noise, turn] = [shift.difference, shift.noise, reference.turn.median].map(Math.round);
      return `${shift.verdict} ${difference} ± ${noise} µs of ${turn}`;
    });
    console.log(`${at + 1}/${tries}  equal: ${shown[0]}  slowed: ${shown[1]}  load ${loadavg()[0].toFixed(1)}`);
  }
  for (const [name, wanted] of [
    ["equal", "same"],
    ["slowed", "slower"],
  ]) {
    const right = found[name].filter(({ shift }) => shift.verdict === wanted).length;
    const of = (field) => summarise(found[name].map(({ shift }) => shift[field])).median.toFixed(0);
    console.log(`${name}: ${wanted} in ${right} of ${tries}, ${of("difference")} µs a turn, noise ${of("noise")} µs`);
  }
}

/** A turn of our loop, as both benchmarks measure it in turn. A look at the processor time would cost more than a part of the turn. */
async function agree() {
  const length = 100;
  const { cassette } = await runRecording(length, 1);
  const once = (provider) => runPlayhead(provider, length);
  const name = "playhead: run";
  const way = contestants[name];
  const [theirs, ours] = [[], []];
  const loop = { name, units: length, run: () => way.run(length, 1), check: (result) => way.check(result, length, 1) };
  for (let round = 0; round < 20; round++) {
    const [row] = await measure([loop], { rounds: 3, warmMs: round === 0 ? 1000 : 100, clock: "wall" });
    theirs.push(row.median);
    const { turn } = await benchLoop(once, cassette, { samples: 3, warmMs: round === 0 ? 1000 : 100, clock: "wall" });
    ours.push(turn.median);
  }
  for (const [title, samples, digits] of [
    ["turnLoop, µs a turn", theirs, 1],
    ["benchLoop, µs a turn", ours, 1],
    ["benchLoop ÷ turnLoop", ours.map((value, round) => value / theirs[round]), 2],
  ]) {
    const { median, low, high } = summarise(samples);
    console.log(`${title}: ${median.toFixed(digits)} (${low.toFixed(digits)} … ${high.toFixed(digits)})`);
  }
}

const folder = openScratch("loop-proof");
try {
  console.log(`Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}`);
  await agree();
  const file = join(folder, "add.cassette.json");
  await saveCassette(file, (await runRecording(turns, 1)).cassette);
  await prove(file);
} finally {
  closeScratch(folder);
}
