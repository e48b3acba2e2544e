// Lists the causes of a gate failure one by one, so that machine-readable reports show each as a failure.

import { plural } from "../../core/index.js";
import type {
  GateFailure,
  GateReport,
  GateSettings,
  ScenarioReport,
  UnpairedScenario,
  Verdict,
} from "./gate-report.js";
import { pooledDrift, unpairedBreak } from "./verdict.js";
import { worseText } from "./words.js";

type Judged = Pick<
  GateReport,
  "settings" | "verdict" | "reason" | "headline" | "pooled" | "metrics" | "scenarios" | "unpaired"
>;

/** Lists all causes, or none if the gate passes. The first is the finding in the verdict's reason, if that one fails the gate. */
export function findFailures(judged: Judged): GateFailure[] {
  const { settings, verdict, reason, headline, scenarios } = judged;
  const ofScenarios = scenarioFailures(judged);
  const others = [...pooledFailures(judged), ...metricFailures(judged), ...unpairedFailures(judged)];
  const isNamed = (failure: GateFailure): boolean => failure.reason === reason;
  const named = others.filter(isNamed);
  const rest = others.filter((failure) => !isNamed(failure));
  const isScenarioFirst = isAboutScenarios(headline, verdict, scenarios);
  const found = isScenarioFirst ? [...ofScenarios, ...others] : [...named, ...rest, ...ofScenarios];
  if (found.length > 0 || !isFailing(verdict, settings)) return found;
  return [{ kind: "verdict", verdict, reason }];
}

/** True if the headline is about a scenario on both sides, or about the verdict that some of them have. */
export function isAboutScenarios(
  { kind }: GateReport["headline"],
  verdict: Verdict,
  scenarios: readonly ScenarioReport[],
): boolean {
  return kind === "scenario" || (kind === "verdict" && scenarios.some((each) => each.verdict === verdict));
}

function isFailing(verdict: Verdict, { failOn, onInconclusive }: GateSettings): boolean {
  return failOn.includes(verdict) || (verdict === "inconclusive" && onInconclusive === "fail");
}

function pooledFailures({ settings, pooled, scenarios }: Judged): GateFailure[] {
  const { outcome } = pooled;
  const { alpha } = settings;
  const found: GateFailure[] = [];
  if (outcome !== undefined && outcome.test.adjusted <= alpha) {
    found.push({ kind: "pooled-outcome", verdict: "regression", reason: `over all scenarios ${worseText(outcome)}` });
  }
  const drifted = pooledDrift({ scenarios, pooled, alpha });
  if (drifted !== undefined) found.push({ kind: "pooled-distance", verdict: "drift", reason: drifted.reason });
  return found.filter((failure) => isFailing(failure.verdict, settings));
}

/** A metric that crossed its threshold fails the gate, whatever verdicts `--fail-on` names. */
function metricFailures({ settings, verdict: whole, metrics }: Judged): GateFailure[] {
  return metrics.all.flatMap(({ metric, verdict, reason = "" }): GateFailure[] => {
    const isCause = verdict === "regression" || (whole === "inconclusive" && isFailing("inconclusive", settings));
    return isCause && verdict !== undefined && verdict !== "same" ? [{ kind: "metric", metric, verdict, reason }] : [];
  });
}

/** An inconclusive scenario fails only if the overall verdict is not `same` or `better`. A same scenario, only if it is `same`. */
function scenarioFailures({ settings, verdict: whole, scenarios }: Judged): GateFailure[] {
  const isCause = ({ verdict }: ScenarioReport): boolean => {
    if (!isFailing(verdict, settings)) return false;
    if (verdict === "same") return whole === "same";
    return verdict !== "inconclusive" || !["same", "better"].includes(whole);
  };
  return scenarios
    .filter(isCause)
    .map(({ scenario, verdict, reason }) => ({ kind: "scenario", scenario, verdict, reason }));
}

function unpairedFailures({ settings, unpaired }: Judged): GateFailure[] {
  return unpaired.flatMap((each): GateFailure[] => {
    const { scenario } = each;
    const broken = unpairedBreak(each);
    if (broken !== undefined && isFailing("regression", settings)) {
      return [{ kind: "unpaired", scenario, verdict: "regression", reason: broken }];
    }
    if (settings.sharedOnly === true || !isFailing("drift", settings)) return [];
    return [{ kind: "unpaired", scenario, verdict: "drift", reason: sideText(each) }];
  });
}

/** "only the candidate has it (3 runs)". */
export function sideText({ side, runs }: UnpairedScenario): string {
  return `only the ${side === "base" ? "baseline" : side} has it (${plural(runs, "run")})`;
}
