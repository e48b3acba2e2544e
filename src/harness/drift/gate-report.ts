// The drift gate's report as data. Every reporter reads only this, so text, JUnit, SARIF, Markdown and HTML agree.

import type { CallOrder, ContractChange, Drift, ToleranceUse } from "../../cassette/index.js";
import type { JsonValue } from "../../core/index.js";
import type { MetricFigures, MetricName, MetricReport, MetricThreshold } from "./metrics/figures.js";
import type { WholeAmounts } from "./metrics/spending.js";
import type { TestResult } from "./statistics/test-result.js";

export type { TestResult };

/**
 * `same`: nothing differs, or enough runs were compared and the tests found nothing. `better`: the outcomes are better beyond
 * chance, whatever paths the runs take. `drift`: the runs take other paths. `regression`: the outcomes are worse, a rule is broken
 * that the baseline keeps, or a metric crosses its threshold. `inconclusive`: too few runs to tell, or a metric is unknown.
 */
export type Verdict = "same" | "better" | "drift" | "regression" | "inconclusive";

export const VERDICTS: readonly Verdict[] = ["same", "better", "drift", "regression", "inconclusive"];

/** One run. Its amounts are absent where the recording does not say them for every turn. */
export interface RunRef extends WholeAmounts {
  /** The path as the user would open it: the path from the command line, plus the rest below it. */
  file: string;
  /** The label of the path it took: a row of `paths`. */
  path: string;
  /** Absent if the recording has no outcome. */
  success?: boolean;
  /** The message of a failed run: the assertion of its test, or the error that ended it. */
  failure?: string;
  turns: number;
  calls: number;
  /** The recorded scores, each the mean of its grades. Absent if there are none. */
  scores?: Record<string, number>;
}

/** One sequence of tool calls, and how often each side took it. `steps` are turns. Order within a turn does not count. */
export interface PathRow {
  /** "A", "B" …, sorted by how often the baseline took it, then the candidate. */
  label: string;
  steps: string[][];
  base: number;
  candidate: number;
}

/** A difference with its interval, candidate minus baseline. `level` is the confidence, such as 0.95. */
export interface Effect {
  what: "success-rate" | "distance";
  value: number;
  low: number;
  high: number;
  level: number;
}

/** How often a side succeeded. `passAt` and `passHat` at k = 1 … number of runs: unbiased estimates. */
export interface Outcomes {
  runs: number;
  successes: number;
  /** pass@k: at least one of k runs succeeds. */
  passAt: number[];
  /** pass^k: all of k runs succeed. */
  passHat: number[];
}

export interface OutcomeComparison {
  base: Outcomes;
  candidate: Outcomes;
  /** Tests whether the candidate succeeds less often. */
  test: TestResult;
  /** Tests whether the candidate succeeds more often. It has its own alpha, because it raises no alarm. */
  better: TestResult;
  effect: Effect;
}

export interface DistanceComparison {
  /**
   * Mean distances of pairs of runs: within the baseline, within the candidate, and between them. From 0 to 1, never NaN. Differences
   * that a one-way order allows do not count. Pairs within a side count in both directions.
   */
  withinBase?: number;
  withinCandidate?: number;
  between: number;
  test: TestResult;
  effect: Effect;
  /** The number of runs of each side that were drawn and compared, if there were too many to compare all. */
  sampled?: { base: number; candidate: number };
}

/** One turn of the two typical runs side by side. A side without a counterpart is absent. */
export interface TimelineRow {
  base?: TimelineTurn;
  candidate?: TimelineTurn;
  /** Indices into the scenario's `edits`. Empty if the turns are the same. */
  edits: number[];
}

export interface TimelineTurn {
  turn: number;
  text: string;
  calls: { name: string; arguments: JsonValue; result?: string }[];
  stopReason: string;
  totalTokens?: number;
  costUsd?: number;
}

/** A place in a cassette file: the line, counted from 1, where the turn begins. */
export interface Location {
  file: string;
  turn: number;
  line?: number;
}

export interface Edit {
  drift: Drift;
  base?: Location;
  candidate?: Location;
  /** True if a change of the tool's schema explains the changed arguments. */
  becauseOfSchema?: boolean;
  /** For the same calls in other turns: the value of `--order` that ignores this difference. */
  allowedBy?: CallOrder;
}

/**
 * Whether the offers (tools and settings) of the typical runs could be compared. `hashes-same`, `hashes-differ`: a side recorded only
 * hashes. `not-recorded`: a side recorded nothing.
 */
export type ContractState = "compared" | "hashes-same" | "hashes-differ" | "not-recorded";

/** A broken rule, listed once for each run and rule. */
export interface RuleFinding {
  rule: string;
  side: "base" | "candidate";
  location: Location;
  sentence: string;
}

/** A scenario on only one side, so it is not compared. */
export interface UnpairedScenario {
  scenario: string;
  side: RuleFinding["side"];
  runs: number;
  /** The file of its first run. */
  file: string;
  /** The rules that its runs broke. Only runs of the candidate are checked. */
  rules: RuleFinding[];
}

/**
 * One cause of a gate failure. `scenario`: a scenario on both sides. `pooled-outcome`, `pooled-distance`: all scenarios together.
 * `metric`: a metric with a threshold. `unpaired`: a scenario on one side only. `verdict`: the verdict itself, if nothing more specific explains it.
 */
export interface GateFailure {
  kind: "scenario" | "pooled-outcome" | "pooled-distance" | "metric" | "unpaired" | "verdict";
  verdict: Verdict;
  /** Set for `metric`. */
  metric?: MetricName;
  /** Set for `scenario` and `unpaired`. */
  scenario?: string;
  reason: string;
}

/** The finding of the headline, the same in every format: scenario, metric and figures belong together. */
export interface Headline {
  /** The finding in plain words: counts and amounts, no statistics. */
  sentence: string;
  /** What decided the verdict. `verdict`: nothing in particular, such as a verdict of `same`. */
  kind: GateFailure["kind"];
  metric: MetricName | "success" | "paths" | "rules" | "scenarios";
  /** The scenario, or the one that contributes most to a finding over all scenarios. Absent if nothing differs. */
  scenario?: string;
  /** The figures of both sides, such as "6 of 6" and "1 of 6". Absent if there are none. */
  base?: string;
  candidate?: string;
}

export interface ScenarioReport {
  scenario: string;
  verdict: Verdict;
  /** The reason for the verdict, in one sentence. */
  reason: string;
  /** For an inconclusive scenario: the runs on each side that would decide it at the rates seen so far. Absent above 200. */
  runsNeeded?: number;
  base: RunRef[];
  candidate: RunRef[];
  /** The number of runs without an outcome, which no success rate includes. */
  withoutOutcome: { base: number; candidate: number };
  paths: PathRow[];
  outcome?: OutcomeComparison;
  distance?: DistanceComparison;
  /** Cost, tokens, turns, calls, latency and scores. They do not affect the verdict of a scenario. */
  metrics: MetricFigures[];
  /**
   * The most typical run of each side (least mean distance to its own side), which `edits` and `timeline` compare. If success was lost
   * or gained, and the verdict is not `drift`, the most typical of the runs that succeeded on one side and failed on the other.
   */
  typical: { base: string; candidate: string };
  edits: Edit[];
  /** True if the two runs make the same calls and one failed. Then `edits` are differences of their texts, whatever the settings. */
  textsOnly?: boolean;
  /** Index into `edits` of the first edit in turn order. Absent without edits. */
  firstDivergence?: number;
  timeline: TimelineRow[];
  /** The changes of the offer between the typical runs. They do not affect the verdict. */
  contract: ContractChange[];
  /** Absent if the typical runs were not read. */
  contractState?: ContractState;
  rules: RuleFinding[];
  /** Every tolerance that made paths or calls equal, or brought paths nearer. */
  tolerances: ToleranceUse[];
}

/** The tests over all scenarios together, because a single scenario seldom has enough runs. */
export interface PooledReport {
  outcome?: OutcomeComparison;
  distance?: DistanceComparison;
  /**
   * The test of paths over the scenarios that are not `better`. Absent if no scenario is `better`, or all are. With it, other paths
   * over all scenarios are a drift only if this test rejects too.
   */
  others?: TestResult;
}

/** The settings of the gate. See docs/drift.md. */
export interface GateSettings {
  alpha: number;
  /** A scenario with fewer runs on a side is not tested alone. If something differs, it is inconclusive. */
  minRuns: number;
  failOn: Verdict[];
  /** Metrics that may fail the gate, at most one of each. */
  thresholds?: MetricThreshold[];
  onInconclusive: "pass" | "fail";
  seed: number;
  /** One-way orders apply from the baseline to the candidate: `subset` allows the candidate to leave calls out. */
  order: CallOrder;
  content: boolean;
  ignore?: string[];
  /** Read-only tools, whose calls may change places. */
  readOnly?: string[];
  /** The tolerance file. */
  tolerances?: string;
  /** The rules file. */
  rules?: string;
  /** The price file. */
  prices?: string;
  /** The pointer to a run's outcome. */
  success?: string;
  sharedOnly?: boolean;
}

export interface GateReport {
  schemaVersion: 1;
  base: string;
  candidate: string;
  settings: GateSettings;
  verdict: Verdict;
  reason: string;
  headline: Headline;
  /** True if the build fails, because `failures` is not empty. */
  fails: boolean;
  /** All causes of failure. The first is the one of the headline, if that one fails the gate. */
  failures: GateFailure[];
  counts: Record<Verdict, number>;
  pooled: PooledReport;
  /** Cost, tokens, turns, calls, latency and scores over all scenarios. */
  metrics: MetricReport;
  scenarios: ScenarioReport[];
  onlyBase: string[];
  onlyCandidate: string[];
  /** The scenarios of `onlyBase` and `onlyCandidate` in detail. */
  unpaired: UnpairedScenario[];
  withoutOutcome: { base: number; candidate: number };
  /** The commands that reproduce and accept this result, or a clause that says why it cannot be accepted. */
  commands: { reproduce: string; bless?: string; notBlessed?: string };
}
