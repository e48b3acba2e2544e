// npm run bench:check [-- --runs N] [-- --update [--cpu]]: compares the ratios that need no peer with
// bench/figures.json. Measures each in N fresh processes, prints the comparison, and exits 1 if one is worse by more
// than the noise. Run it by hand, or in a CI job of its own, never with the tests. `--update` keeps the measured
// ratios as the new figures. With `--cpu` they are in processor time, and so is every later check of them. `--only
// NAME,NAME` compares only the ratios of these benchmarks. `--figures FILE` names other figures. `--samples FILE`
// judges existing ratios (`{ "id": [ratio, ratio, …] }`) and runs nothing.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isSameMachine, readFigures, readSamples } from "./figures.mjs";
import { GOALS, suitesOfGoal } from "./goals.mjs";
import { BAD, formatJudgement, judge, toFigure } from "./judge.mjs";
import { describeMachine, formatMachine } from "./machine.mjs";
import { summarise } from "./measure.mjs";
import { assertWritable, fail, readCount, readOptions } from "./options.mjs";
import { closeScratch, openScratch } from "./scratch.mjs";
import { SUITES } from "./suites.mjs";
import { formatNumber } from "./table.mjs";

const NAME = "bench:check";
const script = fileURLToPath(new URL("run.mjs", import.meta.url));
const USAGE = `node bench/check.mjs [options]

  --runs N           number of fresh processes, 2 or more (6)
  --only NAME,NAME   compares only the ratios of these benchmarks
  --figures FILE     compares with these figures (bench/figures.json)
  --samples FILE     judges existing ratios, { "id": [ratio, ratio, …] }, and runs nothing
  --update           keeps the measured ratios as the new figures
  --cpu              with --update: processor time, which every check of these figures then uses

Exits 1 if a ratio is worse than its figure by more than the noise, is worse by half but within the noise, or is missing.`;
const OPTIONS = {
  runs: { type: "string", default: "6" },
  update: { type: "boolean", default: false },
  cpu: { type: "boolean", default: false },
  only: { type: "string" },
  figures: { type: "string", default: fileURLToPath(new URL("figures.json", import.meta.url)) },
  samples: { type: "string" },
};
const values = readOptions(NAME, OPTIONS, { usage: USAGE });
// One process has no noise to measure.
const runs = readCount(NAME, "runs", values.runs, 2, 1_000);
if (values.update && values.only !== undefined) fail(NAME, "--update keeps all figures, so it takes no --only");
if (values.cpu && !values.update)
  fail(NAME, "--cpu goes with --update; a check goes by what its figures were taken by");
if (values.update) assertWritable(NAME, "figures", values.figures);
if (values.only !== undefined) assertGuarded(values.only.split(","));

const kept = values.update ? undefined : readFigures(NAME, values.figures);
const clock = values.update ? (values.cpu ? "cpu" : "wall") : (kept.clock ?? "wall");
const samples = values.samples === undefined ? await takeSamples() : readSamples(NAME, values.samples);
const machine = describeMachine();
if (values.update) update();
else compare();

/** The other benchmarks have no kept ratio, and comparing nothing finds nothing. */
function assertGuarded(names) {
  const guarded = Object.keys(SUITES).filter((name) => SUITES[name].guard !== undefined);
  const other = names.find((name) => !guarded.includes(name));
  if (other !== undefined) fail(NAME, `--only takes ${guarded.join(", ")}, not ${JSON.stringify(other)}`);
}

/** The ratios of each goal, one for each process. */
async function takeSamples() {
  const taken = {};
  for (let run = 1; run <= runs; run++) {
    console.error(`${NAME}: process ${run} of ${runs} …`);
    for (const { id, measured } of await runOnce()) (taken[id] ??= []).push(measured.median);
  }
  return taken;
}

/** The goals that one fresh process has measured. */
async function runOnce() {
  const folder = openScratch("check");
  try {
    const file = join(folder, "results.json");
    const only = values.only === undefined ? [] : ["--only", values.only];
    const args = [script, "--guard", "--json", file, ...only, ...(clock === "cpu" ? ["--cpu"] : [])];
    await runToEnd(args);
    return JSON.parse(readFileSync(file, "utf8")).goals.filter((goal) => goal.measured !== undefined);
  } catch (error) {
    return fail(NAME, whyItFailed(error));
  } finally {
    closeScratch(folder);
  }
}

/** Does not block this process, so that Ctrl-C works at once. Whatever ends this process ends that one too. */
async function runToEnd(args) {
  const running = promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 });
  const stop = () => running.child.kill();
  process.once("exit", stop);
  try {
    await running;
  } finally {
    process.off("exit", stop);
  }
}

/** The table of a benchmark says if it did not do its work. */
function whyItFailed({ code, signal, stdout = "", stderr = "", message }) {
  const rows = stdout.split("\n").filter((line) => line.includes("did not run:"));
  const why = [stderr.trim(), ...rows].filter((text) => text !== "").join("\n");
  return `a run of the benchmarks exited ${code ?? signal}: ${why === "" ? message : why}`;
}

function compare() {
  // With --only, the figures of the other benchmarks are not missing.
  const wanted = Object.entries(kept.figures).filter(([id]) => isChosen(GOALS.find((goal) => goal.id === id)));
  const { rows, isGood, noisy } = judge(samples, Object.fromEntries(wanted));
  console.log(`now:  ${formatMachine(machine)}\nkept: ${formatMachine(kept.machine)}\n`);
  console.log(`${formatJudgement(rows, formatNumber)}\n`);
  if (!isSameMachine(machine, kept.machine))
    console.log("the figures are of another machine or Node, whose ratios differ; --update keeps those of this one");
  if (noisy.length > 0) console.log(`too much noise to detect a ratio that is 50 % worse: ${noisy.join(", ")}`);
  if (wanted.length === 0) fail(NAME, "no ratio was compared: the figures have none of those that were taken");
  const bad = rows.filter(({ verdict }) => BAD.includes(verdict)).map(({ id, verdict }) => `${id} (${verdict})`);
  console.log(isGood ? "no ratio is worse than its figure by more than the noise" : `not as it was: ${bad.join(", ")}`);
  process.exitCode = isGood ? 0 : 1;
}

function isChosen(goal) {
  return values.only === undefined || suitesOfGoal(goal).some((suite) => values.only.split(",").includes(suite));
}

/** All figures that need no peer. If one were left out, no check would notice. */
function update() {
  const guarded = GOALS.filter((goal) => suitesOfGoal(goal).every((suite) => SUITES[suite].guard !== undefined));
  const absent = guarded.filter(({ id }) => !(samples[id]?.length >= 2 && samples[id].every(Number.isFinite)));
  if (absent.length > 0)
    fail(NAME, `nothing was kept, since there are no numbers of ${absent.map(({ id }) => id).join(", ")}`);
  const figures = Object.fromEntries(guarded.map(({ id }) => [id, toFigure(summarise(samples[id]).median)]));
  const processes = Math.min(...guarded.map(({ id }) => samples[id].length));
  writeFileSync(values.figures, JSON.stringify({ machine, clock, runs: processes, figures }, null, 2) + "\n");
  console.log(`kept ${Object.keys(figures).length} figures of ${processes} processes in ${values.figures}`);
}
