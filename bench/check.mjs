// npm run bench:check [-- --runs N] [-- --update [--cpu]]: are the ratios that need no peer still what bench/figures.json says?
// Takes each in N fresh processes, prints what it compared, and exits 1 where one is worse by more than the noise it found. By
// hand, or in a CI job of its own; never part of the tests. `--update` keeps what was measured as the new figures, with `--cpu` by
// processor time, which every check of them then goes by; `--figures FILE` names other ones; `--samples FILE` judges ratios that
// were taken before (`{ "id": [ratio, ratio, …] }`) and runs nothing.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatJudgement, judge } from "./judge.mjs";
import { describeMachine, formatMachine } from "./machine.mjs";
import { summarise } from "./measure.mjs";
import { formatNumber } from "./table.mjs";

const script = fileURLToPath(new URL("run.mjs", import.meta.url));
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "6" },
    update: { type: "boolean", default: false },
    cpu: { type: "boolean", default: false },
    only: { type: "string" },
    figures: { type: "string", default: fileURLToPath(new URL("figures.json", import.meta.url)) },
    samples: { type: "string" },
  },
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 2)
  fail("--runs takes a whole number of 2 or more: one process has no noise to measure");
if (values.update && values.only !== undefined) fail("--update keeps all figures, so it takes no --only");

const kept = values.update ? undefined : JSON.parse(readFileSync(values.figures, "utf8"));
const clock = values.update ? (values.cpu ? "cpu" : "wall") : (kept.clock ?? "wall");
const samples = values.samples === undefined ? takeSamples() : JSON.parse(readFileSync(values.samples, "utf8"));
const machine = describeMachine();
if (values.update) update();
else compare();

/** The ratios of each goal, one of each process. */
function takeSamples() {
  const taken = {};
  for (let run = 1; run <= runs; run++) {
    console.error(`bench:check: process ${run} of ${runs} …`);
    for (const { id, measured } of runOnce()) (taken[id] ??= []).push(measured.median);
  }
  return taken;
}

/** The goals that one fresh process has measured. */
function runOnce() {
  const folder = mkdtempSync(join(tmpdir(), "playhead-check-"));
  try {
    const file = join(folder, "results.json");
    const only = values.only === undefined ? [] : ["--only", values.only];
    const args = [script, "--guard", "--json", file, ...only, ...(clock === "cpu" ? ["--cpu"] : [])];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 28 });
    if (status !== 0) fail(`a run of the benchmarks exited ${status}: ${stderr}`);
    return JSON.parse(readFileSync(file, "utf8")).goals.filter((goal) => goal.measured !== undefined);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compare() {
  // Of some benchmarks only, the figures of the others are not missing.
  const wanted = Object.entries(kept.figures).filter(([id]) => values.only === undefined || samples[id] !== undefined);
  const { rows, isGood } = judge(samples, Object.fromEntries(wanted));
  console.log(`now:  ${formatMachine(machine)}\nkept: ${formatMachine(kept.machine)}\n`);
  console.log(formatJudgement(rows, formatNumber));
  const worse = rows.filter(({ verdict }) => verdict === "worse" || verdict === "missing").map(({ id }) => id);
  console.log(
    isGood ? "\nno ratio is worse than its figure by more than the noise" : `\nworse or missing: ${worse.join(", ")}`,
  );
  process.exitCode = isGood ? 0 : 1;
}

function update() {
  const figures = Object.fromEntries(
    Object.entries(samples).map(([id, list]) => [id, Number(summarise(list).median.toPrecision(4))]),
  );
  writeFileSync(values.figures, JSON.stringify({ machine, clock, runs, figures }, null, 2) + "\n");
  console.log(`kept ${Object.keys(figures).length} figures of ${runs} processes in ${values.figures}`);
}

function fail(message) {
  console.error(`bench:check: ${message}`);
  process.exit(2);
}
