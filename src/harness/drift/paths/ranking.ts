// The order of scenarios in the verdict's reason, the list of every report, and the keyboard navigation of the page.

import type { GateReport, ScenarioReport, Verdict } from "../gate-report.js";

export const WORST_FIRST: readonly Verdict[] = ["regression", "drift", "inconclusive", "better", "same"];

type Ranked = Pick<GateReport, "scenarios" | "verdict" | "pooled" | "settings" | "headline">;

/**
 * Puts the headline's scenario first, and sorts the others by verdict, then by lost or gained success, then by name. If success was lost over all scenarios together, the
 * loss comes before the verdict, because few scenarios can be judged alone. If the verdict is `better`, better scenarios come first.
 */
export function worstFirst({ scenarios, verdict: whole, pooled, settings, headline }: Ranked): ScenarioReport[] {
  const isLostOverAll = (pooled.outcome?.test.adjusted ?? 1) <= settings.alpha;
  const rank = ({ verdict }: ScenarioReport): number => {
    if (verdict === "better" && whole === "better") return -1;
    const isByLoss = isLostOverAll && (verdict === "drift" || verdict === "inconclusive");
    return isByLoss ? 1 : WORST_FIRST.indexOf(verdict);
  };
  return [...scenarios].sort(
    (a, b) =>
      Number(b.scenario === headline.scenario) - Number(a.scenario === headline.scenario) ||
      rank(a) - rank(b) ||
      bySize(a, b) ||
      WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) ||
      byName(a, b),
  );
}

/** The scenarios of one verdict in the order of `worstFirst`. */
export function ofVerdict(scenarios: readonly ScenarioReport[], wanted: Verdict): ScenarioReport[] {
  return scenarios.filter(({ verdict }) => verdict === wanted).sort((a, b) => bySize(a, b) || byName(a, b));
}

/** The drop in the candidate's success rate, from 0 to 1. 0 if it did not drop. */
export function lossOf({ outcome }: ScenarioReport): number {
  return Math.max(0, -(outcome?.effect.value ?? 0));
}

function bySize(a: ScenarioReport, b: ScenarioReport): number {
  return lossOf(b) - lossOf(a) || gainOf(b) - gainOf(a);
}

function gainOf({ verdict, outcome }: ScenarioReport): number {
  return verdict === "better" ? (outcome?.effect.value ?? 0) : 0;
}

function byName(a: ScenarioReport, b: ScenarioReport): number {
  return a.scenario < b.scenario ? -1 : a.scenario > b.scenario ? 1 : 0;
}
