// A report of the drift gate, made by hand: every verdict, every kind of finding, and texts that try to break out of a format.

import type { DriftFact } from "../../src/cassette/diff/drift.js";
import { sentenceOf } from "../../src/cassette/diff/sentence.js";
import type {
  Edit,
  GateReport,
  GateSettings,
  OutcomeComparison,
  RunRef,
  ScenarioReport,
  TestResult,
  TimelineRow,
  TimelineTurn,
  UnpairedScenario,
  Verdict,
} from "../../src/harness/drift/gate-report.js";
import { findFailures } from "../../src/harness/drift/failures.js";
import { writeHeadline } from "../../src/harness/drift/headline.js";
import { ofVerdict } from "../../src/harness/drift/paths/ranking.js";
import type { Overall } from "../../src/harness/drift/verdict.js";
import { VERDICTS } from "../../src/harness/drift/gate-report.js";
import type { MetricFigures } from "../../src/harness/drift/metrics/figures.js";

/** Text of a hostile log: ends of every element, a link, controls, a mention, and special characters of every format. */
export const HOSTILE = `</script></title><img src=x onerror=alert(1)><a href="javascript:alert(1)">@octocat #12 https://evil.example</a> ]]> | \`\`\` ::error::x%0A \u202e\u0000\u0007\ufffe"' onclick='x`;

export function testResult(p: number, rest: Partial<TestResult> = {}): TestResult {
  return { test: "fisher", sides: 1, p, adjusted: Math.min(1, 3 * p), attainable: 0.0143, exact: true, ...rest };
}

export function outcomes(base: number, candidate: number, runs: number, p: number): OutcomeComparison {
  const side = (successes: number) => ({
    runs,
    successes,
    passAt: Array.from({ length: runs }, (_, k) => 1 - choose(runs - successes, k + 1) / choose(runs, k + 1)),
    passHat: Array.from({ length: runs }, (_, k) => choose(successes, k + 1) / choose(runs, k + 1)),
  });
  const value = (candidate - base) / runs;
  return {
    base: side(base),
    candidate: side(candidate),
    test: testResult(p),
    better: testResult(1),
    effect: {
      what: "success-rate",
      value,
      low: Math.max(-1, value - 0.3),
      high: Math.min(1, value + 0.3),
      level: 0.95,
    },
  };
}

/** Known turns and calls, and unknown cost, tokens and latency. */
export function metricFigures(): MetricFigures[] {
  const unknown = { runs: 4, unknown: 4, total: 0 };
  const known = (mean: number) => ({ runs: 4, unknown: 0, total: 4 * mean, mean });
  const change = { difference: { value: 1, low: 0.5, high: 1.5 }, relative: { value: 0.25, low: 0.1, high: 0.4 } };
  return [
    { metric: "cost", unit: "USD", base: unknown, candidate: unknown, level: 0.95 },
    { metric: "tokens", unit: "tokens", base: unknown, candidate: unknown, level: 0.95 },
    { metric: "turns", unit: "turns", base: known(4), candidate: known(5), ...change, level: 0.95 },
    { metric: "calls", unit: "calls", base: known(4), candidate: known(5), ...change, level: 0.95 },
    { metric: "latency", unit: "ms", base: unknown, candidate: unknown, level: 0.95 },
  ];
}

function choose(n: number, k: number): number {
  return k > n
    ? 0
    : Array.from({ length: k }, (_, i) => (n - i) / (i + 1)).reduce((product, factor) => product * factor, 1);
}

export function runs(side: string, scenario: string, paths: string, successes: number): RunRef[] {
  return [...paths].map((path, index) => ({
    file: `cassettes/${side}/${scenario}.${index}.cassette.json`,
    path,
    success: index < successes,
    turns: 4,
    calls: 3,
  }));
}

export function turn(index: number, rest: Partial<TimelineTurn> = {}): TimelineTurn {
  return {
    turn: index,
    text: "",
    calls: [],
    stopReason: "toolUse",
    totalTokens: 1200 + index,
    costUsd: 0.0021,
    ...rest,
  };
}

/** An edit with places in the typical runs of a scenario: line 10 times the turn. */
/** A difference whose places come from the edit. */
type Unpointed = DriftFact extends infer Fact
  ? Fact extends DriftFact
    ? Omit<Fact, "oldPointer" | "newPointer">
    : never
  : never;

export function edit(scenario: string, bare: Unpointed, becauseOfSchema = false): Edit {
  const fact = {
    ...bare,
    ...("oldTurn" in bare ? { oldPointer: `/entries/${bare.oldTurn}` } : {}),
    ...("newTurn" in bare ? { newPointer: `/entries/${bare.newTurn}` } : {}),
  } as DriftFact;
  const at = (side: string, index: number) => ({
    file: `cassettes/${side}/${scenario}.0.cassette.json`,
    turn: index,
    line: 10 * index + 7,
  });
  return {
    drift: { ...fact, sentence: sentenceOf(fact) },
    ...("oldTurn" in fact ? { base: at("old", fact.oldTurn) } : {}),
    ...("newTurn" in fact ? { candidate: at("new", fact.newTurn) } : {}),
    ...(becauseOfSchema ? { becauseOfSchema } : {}),
  };
}

export function scenario(name: string, verdict: Verdict, rest: Partial<ScenarioReport> = {}): ScenarioReport {
  return {
    scenario: name,
    verdict,
    reason: REASONS[verdict],
    base: runs("old", name, "AAAB", 4),
    candidate: runs("new", name, "BBBB", 1),
    withoutOutcome: { base: 0, candidate: 0 },
    paths: [
      { label: "A", steps: [["find_user"], ["get_order", "get_order"], ["cancel_order"]], base: 3, candidate: 0 },
      { label: "B", steps: [["find_user"], ["get_order"]], base: 1, candidate: 4 },
    ],
    typical: {
      base: `cassettes/old/${name}.0.cassette.json`,
      candidate: `cassettes/new/${name}.0.cassette.json`,
    },
    metrics: metricFigures(),
    edits: [],
    timeline: [],
    contract: [],
    rules: [],
    tolerances: [],
    ...rest,
  };
}

const REASONS: Readonly<Record<Verdict, string>> = {
  regression: "It succeeds less often: 4 of 4 runs before, 1 of 4 now.",
  better: "It succeeds more often: 1 of 4 runs before, 4 of 4 now.",
  drift: "The runs take other paths than the baseline's.",
  inconclusive: "One run on each side cannot tell drift from chance; about 5 runs on each side would.",
  same: "The tests found no difference in 4 runs against 4.",
};

/** A report of these scenarios with figures that fit them. */
export function gateReport(scenarios: ScenarioReport[], rest: Partial<GateReport> = {}): GateReport {
  const counts = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, scenarios.filter((each) => each.verdict === verdict).length]),
  ) as Record<Verdict, number>;
  const verdict =
    (["regression", "drift", "inconclusive", "better"] as const).find((each) => counts[each] > 0) ?? "same";
  return rejudged({
    schemaVersion: 1,
    base: "cassettes/old",
    candidate: "cassettes/new",
    settings: {
      alpha: 0.05,
      minRuns: 2,
      failOn: ["regression", "drift"],
      onInconclusive: "pass",
      seed: 1,
      order: "strict",
      content: false,
    },
    verdict,
    reason: verdict === "same" ? "No scenario differs." : `1 of ${scenarios.length} scenarios shows a ${verdict}.`,
    headline: { sentence: "", kind: "verdict", metric: "paths" },
    fails: false,
    failures: [],
    counts,
    pooled: {},
    metrics: { all: metricFigures(), correction: "", unpriced: [] },
    scenarios,
    onlyBase: [],
    onlyCandidate: [],
    unpaired: [],
    withoutOutcome: { base: 0, candidate: 0 },
    commands: {
      reproduce: "cassette drift cassettes/old cassettes/new",
      bless: 'cassette bless cassettes/new --reason "…"',
    },
    ...rest,
  });
}

/** The report with all fields that follow from its findings and settings. */
export function rejudged(report: GateReport, settings: Partial<GateSettings> = {}): GateReport {
  const judged = { ...report, settings: { ...report.settings, ...settings } };
  const headline = report.headline.sentence === "" ? writeHeadline(judged, aboutOf(judged)) : report.headline;
  const failures = findFailures({ ...judged, headline });
  const only = (wanted: string): string[] =>
    judged.unpaired.filter(({ side }) => side === wanted).map((each) => each.scenario);
  return {
    ...judged,
    headline,
    failures,
    fails: failures.length > 0,
    onlyBase: only("base"),
    onlyCandidate: only("candidate"),
  };
}

/** The finding that decides a report made by hand. */
function aboutOf({ verdict, scenarios, metrics, pooled, settings, unpaired: alone }: GateReport): Overall["about"] {
  const [first] = ofVerdict(scenarios, verdict);
  if (verdict !== "same" && first !== undefined) return { kind: "scenario", scenario: first.scenario };
  const metric = metrics.all.find((each) => each.verdict === verdict)?.metric;
  if (verdict !== "same" && metric !== undefined) return { kind: "metric", metric };
  if ((pooled.outcome?.test.adjusted ?? 1) <= settings.alpha) return { kind: "pooled-outcome" };
  if ((pooled.distance?.test.adjusted ?? 1) <= settings.alpha) return { kind: "pooled-distance" };
  const [one] = alone;
  return verdict === "same" || one === undefined ? { kind: "verdict" } : { kind: "unpaired", scenario: one.scenario };
}

/** A scenario on one side only. */
export function unpaired(name: string, side: "base" | "candidate", rules: UnpairedScenario["rules"] = []) {
  return { scenario: name, side, runs: 1, file: `cassettes/${side}/${name}.0.cassette.json`, rules };
}

const order = { order_id: "#W100", reason: "no longer needed", items: [{ sku: "A-1", count: 2 }] };
const changed = { order_id: "#W100", reason: "ordered by mistake", items: [{ sku: "A-1", count: 1 }] };

function refundTimeline(): TimelineRow[] {
  const find = (index: number) =>
    turn(index, {
      text: "Let me look you up first.",
      calls: [{ name: "find_user", arguments: { email: "ada@example.com" }, result: '{"user": "u-17"}' }],
    });
  const look = (index: number, id: string) =>
    turn(index, { calls: [{ name: "get_order", arguments: { order_id: id }, result: '{"status":"pending"}' }] });
  return [
    { base: find(0), candidate: find(0), edits: [] },
    { base: look(1, "#W100"), candidate: look(1, "#W100"), edits: [] },
    { base: look(2, "#W101"), candidate: look(2, "#W101"), edits: [] },
    { base: look(3, "#W102"), candidate: look(3, "#W102"), edits: [] },
    { base: look(4, "#W103"), edits: [1] },
    {
      base: turn(5, { calls: [{ name: "cancel_order", arguments: order, result: "cancelled" }] }),
      candidate: turn(4, { calls: [{ name: "cancel_order", arguments: changed, result: "Error: not allowed" }] }),
      edits: [0],
    },
    { candidate: turn(5, { calls: [{ name: "transfer_to_human", arguments: { summary: HOSTILE } }] }), edits: [2] },
    {
      base: turn(6, { text: "Your order is cancelled.", stopReason: "stop" }),
      candidate: turn(6, { text: `I hand you over. ${HOSTILE}`, stopReason: "stop" }),
      edits: [3],
    },
  ];
}

function refund(name: string): ScenarioReport {
  const reason = { pointer: "/reason", old: "no longer needed", new: "ordered by mistake" };
  const edits = [
    edit(name, {
      kind: "args-changed",
      tool: "cancel_order",
      oldTurn: 5,
      newTurn: 4,
      changes: [{ pointer: "/items/0/count", old: 2, new: 1 }, reason],
    }),
    edit(name, { kind: "removed", tool: "get_order", oldTurn: 4, arguments: { order_id: "#W103" } }),
    edit(name, { kind: "added", tool: "transfer_to_human", newTurn: 5, arguments: { summary: HOSTILE } }, true),
    edit(name, { kind: "content-changed", oldTurn: 6, newTurn: 6, old: "Your order is cancelled.", new: HOSTILE }),
  ];
  return scenario(name, "regression", {
    outcome: outcomes(4, 1, 4, 0.0143),
    distance: {
      withinBase: 0.08,
      withinCandidate: 0,
      between: 0.42,
      test: testResult(0.0286, { test: "permutation", sides: 2 }),
      effect: { what: "distance", value: 0.34, low: 0.1, high: 0.5, level: 0.95 },
    },
    edits,
    firstDivergence: 1,
    timeline: refundTimeline(),
    contract: [
      {
        kind: "schema-changed",
        name: "cancel_order",
        pointer: "/properties/reason/enum",
        old: ["no longer needed"],
        new: ["no longer needed", "ordered by mistake"],
        sentence: "cancel_order takes other arguments: /properties/reason/enum has one value more.",
      },
    ],
    rules: [
      {
        rule: "never-hand-over",
        side: "candidate",
        location: { file: `cassettes/new/${name}.0.cassette.json`, turn: 5, line: 57 },
        sentence: `transfer_to_human was called, which the rules forbid. ${HOSTILE}`,
      },
    ],
    tolerances: [{ tolerance: "numeric ±0.01", tool: "refund", pointer: "/amount", times: 3 }],
  });
}

function moved(name: string): ScenarioReport {
  const args = { city: "Paris" };
  const call = { name: "get_weather", arguments: args, result: "21 °C" };
  return scenario(name, "drift", {
    outcome: outcomes(3, 3, 4, 1),
    edits: [edit(name, { kind: "moved", tool: "get_weather", oldTurn: 0, newTurn: 1, arguments: args })],
    firstDivergence: 0,
    timeline: [
      { base: turn(0, { calls: [call] }), edits: [0] },
      {
        base: turn(1, { calls: [{ name: "get_time", arguments: {} }] }),
        candidate: turn(0, { calls: [{ name: "get_time", arguments: {} }] }),
        edits: [],
      },
      { candidate: turn(1, { calls: [call] }), edits: [0] },
    ],
  });
}

/** One of everything. */
export function richReport(): GateReport {
  const lone = { base: runs("old", "banking/3", "A", 1), candidate: runs("new", "banking/3", "B", 1) };
  const removal = edit("banking/3", { kind: "removed", tool: "get_iban", oldTurn: 1, arguments: {} });
  const scenarios = [
    scenario("airline/1", "same", {
      candidate: runs("new", "airline/1", "AAAB", 4),
      paths: [
        { label: "A", steps: [["find_user"], ["cancel_order"]], base: 3, candidate: 3 },
        { label: "B", steps: [["find_user"]], base: 1, candidate: 1 },
      ],
      outcome: outcomes(4, 4, 4, 1),
      timeline: Array.from({ length: 9 }, (_, index) => ({ base: turn(index), candidate: turn(index), edits: [] })),
    }),
    moved("airline/7"),
    scenario("banking/3", "inconclusive", {
      ...lone,
      paths: [
        { label: "A", steps: [[], ["get_iban"]], base: 1, candidate: 0 },
        { label: "B", steps: [[]], base: 0, candidate: 1 },
      ],
      runsNeeded: 5,
      edits: [removal],
      firstDivergence: 0,
      timeline: [
        { base: turn(0, { text: "Hello." }), candidate: turn(0, { text: "Hello." }), edits: [] },
        { base: turn(1, { calls: [{ name: "get_iban", arguments: {} }] }), edits: [0] },
      ],
    }),
    refund("retail/12"),
    scenario(`retail/${HOSTILE}`, "drift", { reason: `${REASONS.drift} ${HOSTILE}` }),
  ];
  return gateReport(scenarios, {
    reason: "1 scenario regressed and 2 drifted; 2 are as before or undecided.",
    pooled: {
      outcome: { ...outcomes(11, 8, 12, 0.04), test: testResult(0.04, { test: "mcnemar", adjusted: 0.04 }) },
      distance: {
        between: 0.31,
        test: testResult(0.00002, { test: "stratified-permutation", sides: 2, exact: false, draws: 50_000 }),
        effect: { what: "distance", value: 0.2, low: 0.12, high: 0.28, level: 0.95 },
      },
    },
    unpaired: [unpaired("retail/99", "base"), unpaired(`new/${HOSTILE}`, "candidate")],
  });
}
