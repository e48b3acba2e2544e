// Measures how often the drift gate alarms if nothing differs. The trials of each task are assigned to two sides at
// random, many times, and judged as the gate judges them. Every split is one of the relabelings that the tests count,
// so by construction all splits together keep to alpha. The only possible mistake is to draw too few: a thousand
// splits show a rate of 9.4 % as anything from 7.6 to 11.2. All splits have the same relabelings, so these are drawn
// once for all. The whole gate draws its own for each, and has to agree with the first splits.

import { runGate, trajectoryDistance } from "../.playhead/modules/harness/index.js";
import { judgeFamilies } from "../.playhead/modules/harness/drift/levels.js";
import { fisherTest } from "../.playhead/modules/harness/drift/statistics/fisher.js";
import { energyStatistic, permutationTest } from "../.playhead/modules/harness/drift/statistics/permutation.js";
import { createRandom } from "../.playhead/modules/harness/drift/statistics/random.js";
import { stratifiedTest } from "../.playhead/modules/harness/drift/statistics/stratified.js";

const ALPHAS = [0.01, 0.05, 0.1, 0.2];
const SPLITS = 100_000;
const RELABELINGS = 1_000_000;
/** Number of splits that the whole gate judges too. */
const CHECKED = 20;
/** The allowed error of a drawn p-value, in standard errors. */
const ALLOWED = 5;
const HALVINGS = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
];

/** The table of rates, as Markdown. `tasks` are named lists of four runs of one model. */
export function falseAlarms(tasks, settings) {
  const halved = tasks.map(({ runs }) => halve(runs));
  const outcomeOf = poolOutcomes(halved);
  const distanceOf = poolDistances(halved);
  const random = createRandom(1, "splits");
  const counts = ALPHAS.map(() => ({ gate: 0, outcome: 0, distance: 0, single: 0 }));
  for (let split = 0; split < SPLITS; split++) {
    const halves = halved.map((ways) => ways[random.below(ways.length)]);
    const [outcome, distance] = [outcomeOf(halves), distanceOf(halves)];
    if (split < CHECKED) assertSame(tasks, halves, { outcome, distance }, { ...settings, seed: split });
    ALPHAS.forEach((alpha, index) => {
      const count = counts[index];
      if (isAlarm(halves, outcome, distance, alpha)) count.gate++;
      if (outcome.p <= alpha) count.outcome++;
      if (distance.p <= alpha) count.distance++;
      for (const { least } of halves) if (least <= alpha) count.single++;
    });
  }
  return [
    `| alpha | gate alarms | pooled outcome test | pooled path test | a single task's tests, uncorrected |`,
    `| ----: | ----------: | ------------------: | ---------------: | ---------------------------------: |`,
    ...ALPHAS.map((alpha, index) => {
      const { gate, outcome, distance, single } = counts[index];
      const rates = [gate, outcome, distance, single / tasks.length].map((count) => percent(count, SPLITS));
      return `| ${alpha} | ${rates.join(" | ")} |`;
    }),
  ].join("\n");
}

/** A task's runs split in every way, with the task's own tests and its part of the pooled tests. */
function halve(runs) {
  const apart = runs.map((one) => runs.map((other) => trajectoryDistance(one.trajectory, other.trajectory)));
  return HALVINGS.map((base) => {
    const candidate = runs.flatMap((_, index) => (base.includes(index) ? [] : index));
    const order = [...base, ...candidate];
    const distances = Float64Array.from(order.flatMap((one) => order.map((other) => apart[one][other])));
    const table = { base: base.length, runs: order.length, distances };
    const stratum = { base: countOf(runs, base), candidate: countOf(runs, candidate) };
    const outcome = fisherTest(stratum.base, stratum.candidate, 1);
    const distance = permutationTest([table], createRandom(1, ""));
    const statistic = energyStatistic(table, Uint8Array.of(1, 1, 0, 0), 2);
    return { base, candidate, stratum, outcome, distance, statistic, least: Math.min(outcome.p, distance.p) };
  });
}

function countOf(runs, side) {
  return { runs: side.length, successes: side.filter((index) => runs[index].success === true).length };
}

/** The pooled outcome test. For the same runs, its p-value depends only on how often the candidate succeeds. */
function poolOutcomes(halved) {
  const known = new Map();
  return (halves) => {
    const successes = halves.reduce((sum, { stratum }) => sum + stratum.candidate.successes, 0);
    if (!known.has(successes)) known.set(successes, stratifiedTest(halves.map(({ stratum }) => stratum)));
    return known.get(successes);
  };
}

/** The pooled path test, with relabelings that are independent of the splits. */
function poolDistances(halved) {
  const random = createRandom(1, "relabelings");
  const ways = halved.map((list) => Float64Array.from(list, ({ statistic }) => statistic));
  const drawn = new Float64Array(RELABELINGS);
  for (let draw = 0; draw < RELABELINGS; draw++) {
    for (const list of ways) drawn[draw] += list[random.below(list.length)];
  }
  drawn.sort();
  return (halves) => {
    const limit = halves.reduce((sum, { statistic }) => sum + statistic, 0) - 1e-9;
    let [from, to] = [0, RELABELINGS];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (drawn[middle] < limit) from = middle + 1;
      else to = middle;
    }
    return { p: (RELABELINGS - from + 1) / (RELABELINGS + 1), attainable: 1 / (RELABELINGS + 1) };
  };
}

/** Like the gate: four families of tests share alpha. The families of single tasks count only if one of their tests can decide. */
function isAlarm(halves, outcome, distance, alpha) {
  const family = (results) => ({ p: results.map(({ p }) => p), attainable: results.map((each) => each.attainable) });
  const families = [
    family(halves.map((half) => half.outcome)),
    family(halves.map((half) => half.distance)),
    family([outcome]),
    family([distance]),
  ];
  return judgeFamilies(families, alpha).families.some(({ adjusted }) => adjusted.some((p) => p <= alpha));
}

function assertSame(tasks, halves, found, settings) {
  const { pooled, scenarios } = runGate({
    base: "base",
    candidate: "candidate",
    scenarios: tasks.map(({ scenario, runs }, task) => ({
      scenario,
      base: halves[task].base.map((index) => runs[index]),
      candidate: halves[task].candidate.map((index) => runs[index]),
    })),
    unpaired: [],
    commands: { reproduce: "", bless: "" },
    settings,
  });
  const [outcome, distance] = [pooled.outcome.test, pooled.distance.test];
  const error = Math.sqrt((found.distance.p * (1 - found.distance.p)) / distance.draws) + 1 / distance.draws;
  const isSame =
    outcome.p === found.outcome.p &&
    Math.abs(distance.p - found.distance.p) <= ALLOWED * error &&
    outcome.adjusted === Math.min(1, 2 * outcome.p) &&
    distance.adjusted === Math.min(1, 2 * distance.p) &&
    scenarios.every(({ outcome: own, distance: apart }) => own.test.adjusted === 1 && apart.test.adjusted === 1);
  if (!isSame) throw new Error(`false alarms: the gate judges split ${settings.seed} otherwise than this bench`);
}

export function percent(part, whole) {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;
}
