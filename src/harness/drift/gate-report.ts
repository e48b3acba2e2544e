// What the drift gate found, as data: everything a report shows, and nothing it would have to look up. Every reporter reads
// this alone, so that text, JUnit, SARIF, Markdown and HTML never tell different stories.

import type { CallOrder, ContractChange, Drift, ToleranceUse } from "../../cassette/index.js";
import type { JsonValue } from "../../core/index.js";

/**
 * `same`: nothing differs, or enough runs were compared and the tests found nothing. `better`: the outcomes are better beyond
 * chance, whatever paths the runs take. `drift`: the runs take other paths. `regression`: the outcomes are worse, or a rule is
 * broken that the baseline keeps. `inconclusive`: too few runs to tell.
 */
export type Verdict = "same" | "better" | "drift" | "regression" | "inconclusive";

/** Every {@link Verdict}. */
export const VERDICTS: readonly Verdict[] = ["same", "better", "drift", "regression", "inconclusive"];

/** One recorded run of a scenario. */
export interface RunRef {
  /** As the user would open it: the path given on the command line, and what lies below it. */
  file: string;
  /** The label of the path it took: a row of `paths`. */
  path: string;
  /** Absent where the recording says nothing of it. */
  success?: boolean;
  turns: number;
  calls: number;
}

/** One sequence of tool calls, and how often each side took it. `steps` are turns; the calls of a turn are a set. */
export interface PathRow {
  /** "A", "B" … in the order of how often it was taken, the baseline first. */
  label: string;
  steps: string[][];
  base: number;
  candidate: number;
}

/** A p-value with what it belongs to. All are two-sided unless `sides` says 1. */
export interface TestResult {
  test: "fisher" | "mcnemar" | "permutation" | "stratified-permutation";
  sides: 1 | 2;
  /** As computed, 0 to 1. */
  p: number;
  /** After the correction for all tests of the report, so that it compares with alpha; 1 where the test cannot decide. */
  adjusted: number;
  /** The smallest p this test can give with so many runs; above alpha the test cannot decide. */
  attainable: number;
  /** Exhaustive, or the number of random relabelings it was drawn from. */
  exact: boolean;
  draws?: number;
}

/** A difference with its interval, candidate less baseline. `level` is the confidence, such as 0.95. */
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
  /** Does the candidate succeed less often? */
  test: TestResult;
  /** Does the candidate succeed more often? It has an alpha of its own, since it raises no alarm. */
  better: TestResult;
  effect: Effect;
}

export interface DistanceComparison {
  /**
   * Mean distances of pairs of runs: within the baseline, within the candidate, between them. 0 to 1; NaN never. Under a one-way
   * order what the order allows counts for nothing, and pairs within a side are taken both ways.
   */
  withinBase?: number;
  withinCandidate?: number;
  between: number;
  test: TestResult;
  effect: Effect;
  /** The runs of each side that were drawn and compared pair by pair, where there were too many to compare all. */
  sampled?: { base: number; candidate: number };
}

/** One turn of the two typical runs beside each other. A side is absent where the turn has no counterpart. */
export interface TimelineRow {
  base?: TimelineTurn;
  candidate?: TimelineTurn;
  /** Indices into the scenario's `edits`. Empty means that the turns are the same. */
  edits: number[];
}

export interface TimelineTurn {
  turn: number;
  /** What the assistant said; may be empty. */
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

/** One difference between the two typical runs. */
export interface Edit {
  drift: Drift;
  base?: Location;
  candidate?: Location;
  /** The tool's schema changed between the sides, and the change of arguments follows from it. */
  becauseOfSchema?: boolean;
  /** The same calls in other turns: the value of `--order` under which this is no difference. */
  allowedBy?: CallOrder;
}

/**
 * What the typical runs were offered, as far as the recordings say. `hashes-same` and `hashes-differ`: a side keeps hashes of
 * it alone. `not-recorded`: a side keeps nothing.
 */
export type ContractState = "compared" | "hashes-same" | "hashes-differ" | "not-recorded";

/** A rule that a run broke; once for each run and rule. */
export interface RuleFinding {
  rule: string;
  side: "base" | "candidate";
  location: Location;
  sentence: string;
}

/** A scenario that one side alone has, so that nothing is compared. */
export interface UnpairedScenario {
  scenario: string;
  side: RuleFinding["side"];
  runs: number;
  /** The first of its runs. */
  file: string;
  /** What its runs broke; those of the candidate alone are held against the rules. */
  rules: RuleFinding[];
}

/**
 * One thing that makes the gate fail. `scenario`: what was found in one. `pooled-outcome`, `pooled-distance`: in all of them
 * together. `unpaired`: a scenario on one side only. `verdict`: the verdict itself, where nothing smaller accounts for it.
 */
export interface GateFailure {
  kind: "scenario" | "pooled-outcome" | "pooled-distance" | "unpaired" | "verdict";
  verdict: Verdict;
  /** Of `scenario` and `unpaired`. */
  scenario?: string;
  reason: string;
}

/** What the gate found of one scenario: its verdict, and the figures it rests on. */
export interface ScenarioReport {
  scenario: string;
  verdict: Verdict;
  /** One sentence: why this verdict. */
  reason: string;
  /**
   * Where inconclusive: how many runs on each side would decide it if the rates seen so far hold. Absent where it would take
   * more than 200.
   */
  runsNeeded?: number;
  base: RunRef[];
  candidate: RunRef[];
  /** Runs of each side that do not say how they ended; they are in no success rate. */
  withoutOutcome: { base: number; candidate: number };
  paths: PathRow[];
  outcome?: OutcomeComparison;
  distance?: DistanceComparison;
  /** The most typical run of each side (least mean distance to its own side): what `edits` and `timeline` compare. */
  typical: { base: string; candidate: string };
  edits: Edit[];
  /** Index into `edits` of the first one in the order of turns; absent where there is none. */
  firstDivergence?: number;
  timeline: TimelineRow[];
  /** What the typical runs were offered otherwise; it decides no verdict. */
  contract: ContractChange[];
  /** Absent where the typical runs were not read. */
  contractState?: ContractState;
  rules: RuleFinding[];
  /** Every tolerance that made runs take one path, brought them nearer, or made calls of the typical runs equal. */
  tolerances: ToleranceUse[];
}

/** All scenarios together: the tests that pool them, since a single scenario seldom has runs enough. */
export interface PooledReport {
  outcome?: OutcomeComparison;
  distance?: DistanceComparison;
  /**
   * The test of paths over the scenarios that are not `better`, where some are. Other paths over all scenarios are a drift only
   * where this test rejects, too.
   */
  others?: TestResult;
}

/** What the gate judges by. See docs/drift.md. */
export interface GateSettings {
  /** The rate of false alarms that is accepted, 0 to 1. */
  alpha: number;
  /** A scenario with fewer runs on a side is not tested by itself: where something differs it is inconclusive. */
  minRuns: number;
  failOn: Verdict[];
  onInconclusive: "pass" | "fail";
  /** The seed of every random relabeling. */
  seed: number;
  /** One-way orders are taken from the baseline to the candidate: `subset` allows it to leave calls out. */
  order: CallOrder;
  content: boolean;
  /** Places in arguments that were left out. */
  ignore?: string[];
  /** Tools that only read, whose calls could change places. */
  readOnly?: string[];
  /** The file that said which arguments count as equal. */
  tolerances?: string;
  /** The file of rules that every run was held against. */
  rules?: string;
  /** The pointer that said where a run's outcome lies. */
  success?: string;
  /** Scenarios on one side only were no drift. */
  sharedOnly?: boolean;
}

/** What the gate found of all scenarios together (docs/drift.md). */
export interface GateReport {
  schemaVersion: 1;
  base: string;
  candidate: string;
  settings: GateSettings;
  verdict: Verdict;
  /** One sentence: why. */
  reason: string;
  /** True where the settings make what was found fail the build: where there is one of `failures`. */
  fails: boolean;
  /** Everything that makes the gate fail. The first is what `reason` is about, if that fails. */
  failures: GateFailure[];
  counts: Record<Verdict, number>;
  pooled: PooledReport;
  /** Sorted by name. */
  scenarios: ScenarioReport[];
  onlyBase: string[];
  onlyCandidate: string[];
  /** The scenarios of `onlyBase` and `onlyCandidate`, with what is known of them. */
  unpaired: UnpairedScenario[];
  /** The sums over all scenarios. */
  withoutOutcome: { base: number; candidate: number };
  /** What to type to see this again, and to accept it; or why it cannot be accepted as it is, in one clause. */
  commands: { reproduce: string; bless?: string; notBlessed?: string };
}
