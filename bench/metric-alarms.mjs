// Measures how often the drift gate finds a change if nothing differs, with a threshold of 0 % on every metric and two scores, which is
// the strictest. The trials of each tau-bench task, all of one model, are split in half at random, and the whole gate judges each split.
// Prints a table as Markdown:
//
//   node bench/metric-alarms.mjs TAU_BENCH_LOG [SPLITS]
//
// The log has no tokens and no times. Tokens are counted from its texts, four characters each, so that they vary as those of a real
// run do: input grows with each turn. The cost is that of gpt-4o. A turn takes 300 ms and 20 ms for each output token. The scores are
// made by scorers without a model: the length of the last text, and F1 of the tool calls against those that the task expects.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { callsOf, createTurnPricer } from "../.playhead/modules/cassette/index.js";
import { runGate, scorers, spendingOf, successOf, trajectoryOf } from "../.playhead/modules/harness/index.js";
import { createRandom } from "../.playhead/modules/harness/drift/statistics/random.js";
import { parseImport } from "playhead/cassette";

const ALPHAS = [0.05, 0.2];
const METRICS = ["cost", "tokens", "turns", "calls", "latency", "score:brief", "score:calls"];
const MOST_WORDS = 20;
const CHARACTERS_PER_TOKEN = 4;
const HALVINGS = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
];
const ALARMS = ["regression", "drift"];
const FINDINGS = [...ALARMS, "better"];

const [log, splits = "200"] = process.argv.slice(2);
if (log === undefined || !/^[1-9]\d*$/.test(splits)) {
  console.error("metric-alarms: give the tau-bench log, and how many splits");
  process.exit(2);
}

const tasks = await readTasks(log);
const random = createRandom(1, "metric splits");
const dealt = Array.from({ length: Number(splits) }, () => tasks.map(deal));
const rows = ALPHAS.map((alpha) => {
  const counts = { finding: 0, alarm: 0, metric: 0, better: 0 };
  dealt.forEach((scenarios, seed) => {
    const { verdict, metrics } = judge(scenarios, alpha, seed);
    if (FINDINGS.includes(verdict)) counts.finding++;
    if (ALARMS.includes(verdict)) counts.alarm++;
    if (verdict === "better") counts.better++;
    if (metrics.all.some((metric) => metric.verdict === "regression")) counts.metric++;
  });
  return `| ${[alpha, ...Object.values(counts).map((count) => `${count} of ${splits}`)].join(" | ")} |`;
});
console.log(
  [
    "| alpha | anything but same or inconclusive | regression or drift | a metric over its threshold | better |",
    "| ----: | --------------------------------: | ------------------: | --------------------------: | -----: |",
    ...rows,
  ].join("\n"),
);

/** The tasks by name, each with its four runs. */
async function readTasks(file) {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const options = { source: "log", recordedAt: "2026-01-01T00:00:00.000Z", model: "gpt-4o" };
  const groups = new Map();
  for await (const { cassette, task, path } of parseImport(text, options)) {
    groups.set(task, [...(groups.get(task) ?? []), toRun(cassette, path)]);
  }
  return [...groups].map(([scenario, runs]) => ({ scenario, runs })).sort((a, b) => (a.scenario < b.scenario ? -1 : 1));
}

function toRun(cassette, file) {
  const success = successOf(cassette);
  const spending = spendingOf(withTokens(cassette), createTurnPricer());
  const latency = spending.tokens.output * 20 + cassette.entries.length * 300;
  return {
    file,
    trajectory: trajectoryOf(cassette, { ignore: [], order: "strict", content: false }),
    turns: cassette.entries.length,
    calls: callsOf(cassette).length,
    spending: { ...spending, latency: { value: latency, unknown: 0 } },
    scores: scoresOf(cassette),
    ...(success === undefined ? {} : { success }),
  };
}

function scoresOf(cassette) {
  const { expected = [] } = cassette.extensions.import;
  const toolCalls = expected.map(({ name, arguments: given }, index) => ({
    id: `expected-${index}`,
    name,
    arguments: given,
  }));
  const reference = {
    messages: [{ role: "assistant", content: "", ...(toolCalls.length === 0 ? {} : { toolCalls }) }],
  };
  const texts = cassette.entries.map(({ response }) => response.message.content).filter((text) => text !== "");
  return new Map([
    ["brief", [scorers.length(texts.at(-1), { max: MOST_WORDS })]],
    ["calls", [scorers.toolCallF1(cassette, reference)]],
  ]);
}

/** The cassette with the tokens of its texts. The prompt of a turn is stored as what it adds to the one before. */
function withTokens(cassette) {
  const tokensOf = (value) => Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
  let inputTokens = 0;
  const entries = cassette.entries.map((entry) => {
    inputTokens += tokensOf(entry.prompt.messages);
    const usage = { inputTokens, outputTokens: tokensOf(entry.response.message) };
    return { ...entry, response: { ...entry.response, model: "gpt-4o", usage } };
  });
  return { ...cassette, entries };
}

function deal({ scenario, runs }) {
  const base = HALVINGS[random.below(HALVINGS.length)];
  return {
    scenario,
    base: runs.filter((_, index) => base.includes(index)),
    candidate: runs.filter((_, index) => !base.includes(index)),
  };
}

function judge(scenarios, alpha, seed) {
  const thresholds = METRICS.map((metric) => ({ metric, amount: 0, isRelative: true }));
  const settings = {
    alpha,
    minRuns: 2,
    failOn: ["regression", "drift"],
    thresholds,
    onInconclusive: "pass",
    seed,
    order: "strict",
    content: false,
  };
  const input = {
    base: "base",
    candidate: "candidate",
    scenarios,
    unpaired: [],
    commands: { reproduce: "" },
    settings,
  };
  return runGate(input);
}
