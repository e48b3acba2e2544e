// Checks that the drift gate keeps its rate of false alarms, and that it finds differences. Prints three tables as
// Markdown:
//
//   node bench/calibration.mjs TAU_BENCH_LOG AGENTDOJO_LOG
//
// 1. False alarms (false-alarms.mjs): the four trials of each tau-bench task are split in half, the same model against
// itself.
// 2. Power on outcomes: every AgentDojo model against every other that succeeds less often.
// 3. Power on paths: four runs by variants of one model against four runs by another vendor's models.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parseImport } from "playhead/cassette";
import { runGate, successOf, trajectoryOf } from "../.playhead/modules/harness/index.js";
import { falseAlarms, percent } from "./false-alarms.mjs";

const SETTINGS = {
  alpha: 0.05,
  minRuns: 2,
  failOn: [],
  onInconclusive: "pass",
  seed: 1,
  order: "strict",
  content: false,
};
const GPT_4O = ["", "-repeat_user_prompt", "-spotlighting_with_delimiting", "-transformers_pi_detector"].map(
  (variant) => `gpt-4o-2024-05-13${variant}`,
);
const CLAUDE = [
  "claude-3-5-sonnet-20240620",
  "claude-3-5-sonnet-20241022",
  "claude-3-7-sonnet-20250219",
  "claude-3-opus-20240229",
];
const DEFENCES = /-(repeat_user_prompt|spotlighting_with_delimiting|tool_filter|transformers_pi_detector)$/;

const [tauLog, dojoLog] = process.argv.slice(2);
if (tauLog === undefined || dojoLog === undefined) {
  console.error("calibration: give the tau-bench log and the AgentDojo log");
  process.exit(2);
}
const tau = await readRuns(tauLog);
const dojo = await readRuns(dojoLog);
// In the order of the gate, so that the same draws get the same runs.
const byName = (nameOf) => (a, b) => (nameOf(a) < nameOf(b) ? -1 : 1);
const tasks = [...groupBy(tau, ({ task }) => task)]
  .map(([scenario, list]) => ({ scenario, runs: list.map(({ run }) => run).sort(byName(({ file }) => file)) }))
  .sort(byName(({ scenario }) => scenario));
console.log([falseAlarms(tasks, SETTINGS), outcomePower(dojo), pathPower(dojo)].join("\n\n"));

/** Runs in the form that the gate takes, with the names from the log. */
async function readRuns(log) {
  const bytes = readFileSync(log);
  const text = (log.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const options = { source: "log", recordedAt: "2026-01-01T00:00:00.000Z", model: "model" };
  const runs = [];
  for await (const imported of parseImport(text, log.includes("tau") ? options : { ...options, model: undefined })) {
    const { cassette, model, task, trial, path: file } = imported;
    const success = successOf(cassette);
    const trajectory = trajectoryOf(cassette, { ignore: [], order: "strict", content: false });
    const run = {
      file,
      trajectory,
      turns: cassette.entries.length,
      calls: 0,
      ...(success === undefined ? {} : { success }),
    };
    runs.push({ model, task, trial, run });
  }
  return runs;
}

function gate(scenarios) {
  return runGate({
    base: "base",
    candidate: "candidate",
    scenarios,
    unpaired: [],
    commands: { reproduce: "", bless: "" },
    settings: SETTINGS,
  });
}

/** One run of each task on each side, so that the outcomes pool by McNemar's test. */
function outcomePower(runs) {
  const models = groupBy(
    runs.filter(({ model }) => !DEFENCES.test(model)),
    ({ model }) => model,
  );
  const suites = [...new Set(runs.map(({ task }) => task.split("/")[0]))].sort();
  const classes = [10, 20, 30, 40, 101].map((below, index, all) => ({
    from: index === 0 ? 0 : all[index - 1],
    below,
    pairs: 0,
    all: 0,
    suites: 0,
  }));
  for (const [, base] of models) {
    for (const [, candidate] of models) {
      const drop = 100 * (rate(base) - rate(candidate));
      const found = classes.find(({ from, below }) => drop > from && drop <= below);
      if (found === undefined) continue;
      found.pairs++;
      if (gate(pairUp(base, candidate)).verdict === "regression") found.all++;
      for (const suite of suites) {
        const within = pairUp(base, candidate).filter(({ scenario }) => scenario.startsWith(`${suite}/`));
        if (gate(within).verdict === "regression") found.suites++;
      }
    }
  }
  return [
    `| success lower by | pairs of models | regression found, 42 tasks | regression found, one suite of 6 to 14 tasks |`,
    `| ---------------: | --------------: | -------------------------: | -------------------------------------------: |`,
    ...classes.map(({ from, below, pairs, all, suites: found }) => {
      const range = below > 100 ? `over ${from} points` : `${from} to ${below} points`;
      return `| ${range} | ${pairs} | ${percent(all, pairs)} | ${percent(found, pairs * suites.length)} |`;
    }),
  ].join("\n");
}

function pairUp(base, candidate) {
  const now = new Map(candidate.map(({ task, run }) => [task, run]));
  return base.map(({ task, run }) => ({ scenario: task, base: [run], candidate: [now.get(task)] }));
}

function rate(runs) {
  return runs.filter(({ run }) => run.success === true).length / runs.length;
}

/** k runs of each task by variants of GPT-4o against k by Claude models. */
function pathPower(runs) {
  const tasks = [...groupBy(runs, ({ task }) => task)].sort(([a], [b]) => (a < b ? -1 : 1));
  const suites = [...new Set(tasks.map(([task]) => task.split("/")[0]))].sort();
  const rows = [2, 3, 4].map((k) => {
    const scenarios = tasks.map(([scenario, list]) => ({
      scenario,
      base: list.filter(({ model }) => GPT_4O.slice(0, k).includes(model)).map(({ run }) => run),
      candidate: list.filter(({ model }) => CLAUDE.slice(0, k).includes(model)).map(({ run }) => run),
    }));
    const within = suites.map((suite) => gate(scenarios.filter(({ scenario }) => scenario.startsWith(`${suite}/`))));
    const drifted = within.filter(({ verdict }) => verdict === "drift" || verdict === "regression").length;
    const single = scenarios.filter((each) => gate([each]).verdict === "drift").length;
    const p = gate(scenarios).pooled.distance.test.p;
    return `| ${k} | ${p < 0.00015 ? "0.0001" : p.toPrecision(2)} | ${drifted} of ${suites.length} | ${single} of ${scenarios.length} |`;
  });
  return [
    `| runs a side | p of the pooled path test, 42 tasks | suites found to drift | single tasks found to drift |`,
    `| ----------: | ----------------------------------: | --------------------: | --------------------------: |`,
    ...rows,
  ].join("\n");
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
